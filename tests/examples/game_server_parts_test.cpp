// Tests the example server's request parser and client limits without a network.
#include <gtest/gtest.h>

#include <string>

#include "tools/examples/game_server/http.hpp"
#include "tools/examples/game_server/limits.hpp"

namespace game_server {
namespace {

using namespace std::chrono_literals;

TEST(ReadRequest, EveryPieceOfARequestIsWaitedFor) {
  const std::string whole =
      "POST /a?b=1 HTTP/1.1\r\nhost:  x \r\nContent-length: 5\r\nX-Other: y\r\n\r\nhello";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_request(std::string_view(whole).substr(0, size))) << size;
  }
  const auto received = read_request(whole + "GET / HT");
  ASSERT_TRUE(received);
  EXPECT_EQ(received->size, whole.size());
  EXPECT_TRUE(received->request.keep_alive());
  EXPECT_EQ(received->request.method(), http::verb::post);
  EXPECT_EQ(received->request.target(), "/a?b=1");
  EXPECT_EQ(received->request[http::field::host], "x");
  EXPECT_EQ(received->request.body(), "hello");
}

TEST(ReadRequest, ConnectionsAreKeptAsHttpSays) {
  const auto kept = [](const std::string& version, const std::string& header) {
    return read_request("GET / " + version + "\r\nHost: x\r\n" + header + "\r\n")
        ->request.keep_alive();
  };
  EXPECT_TRUE(kept("HTTP/1.1", ""));
  EXPECT_FALSE(kept("HTTP/1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(kept("HTTP/1.0", ""));
  EXPECT_TRUE(kept("HTTP/1.0", "Connection: Keep-Alive\r\n"));
}

// Two parsers must never disagree about the end of a request (request smuggling).
TEST(ReadRequest, LengthsAreReadInOneWay) {
  const auto refused = [](const std::string& headers) {
    try {
      read_request("POST / HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n\r\nhello");
    } catch (const Refusal& refusal) {
      return refusal.status;
    }
    return 0;
  };
  EXPECT_EQ(refused("Content-Length: 5"), 0);
  EXPECT_EQ(refused("Content-Length: 5\r\nContent-Length: 5"), 400);
  EXPECT_EQ(refused("Content-Length: 5, 5"), 400);
  EXPECT_EQ(refused("Content-Length: +5"), 400);
  EXPECT_EQ(refused("Content-Length:"), 400);
  EXPECT_EQ(refused("Content-Length : 5"), 400);
  EXPECT_EQ(refused("Content-Length: " + std::string(40, '9')), 413);
  EXPECT_EQ(refused("Content-Length: 5\r\nTransfer-Encoding: chunked"), 411);
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\nContent-Length: 5"), 411);
  EXPECT_EQ(refused("Transfer-Encoding: chunked"), 411);
}

TEST(Clients, SaveUpRequestsAndGoOnAtTheirRate) {
  Clients clients({.rate = 10, .burst = 3, .connections = 2});
  const Clock::time_point start{};
  ASSERT_TRUE(clients.connect("a", start));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(clients.request("a", start)) << i;
  EXPECT_FALSE(clients.request("a", start));
  EXPECT_FALSE(clients.request("a", start + 99ms));
  EXPECT_TRUE(clients.request("a", start + 101ms));
  EXPECT_FALSE(clients.request("a", start + 102ms));
  ASSERT_TRUE(clients.connect("b", start));
  EXPECT_TRUE(clients.request("b", start)) << "other clients are not affected";
  int served = 0;
  for (int i = 0; i < 100; ++i) served += clients.request("a", start + 1h);
  EXPECT_EQ(served, 3) << "unused requests accumulate only up to the burst";
}

TEST(Clients, HaveSoManyConnections) {
  Clients clients({.connections = 2});
  const Clock::time_point start{};
  EXPECT_TRUE(clients.connect("a", start));
  EXPECT_TRUE(clients.connect("a", start));
  EXPECT_FALSE(clients.connect("a", start));
  clients.disconnect("a");
  EXPECT_TRUE(clients.connect("a", start));
}

TEST(Clients, AreForgottenWhenTheyAreOwedNothing) {
  Clients clients({.rate = 1, .burst = 2, .connections = 2, .clients = 2});
  const Clock::time_point start{};
  EXPECT_TRUE(clients.connect("a", start));
  EXPECT_TRUE(clients.connect("b", start));
  EXPECT_TRUE(clients.request("b", start));
  clients.disconnect("b");
  EXPECT_FALSE(clients.connect("c", start)) << "a is connected, b sent a request just now";
  EXPECT_TRUE(clients.connect("c", start + 1s)) << "the bucket of b is full again";
}

}  // namespace
}  // namespace game_server
