// Malformed, oversized, slow, idle and too many requests to the example server. After each test the
// server must serve as before.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/examples/running_server.hpp"

namespace senet {
namespace {

using Connections = std::vector<std::unique_ptr<HttpConnection>>;

void expect_served(RunningServer& server) {
  const std::string game = server.open_game("connect_four");
  EXPECT_EQ(server.post(game + "/move", {{"move", "4"}}).status, 200);
  EXPECT_EQ(server.post(game + "/move", {{"visits", 5}}).status, 200);
  EXPECT_EQ(server.ask("DELETE", game).status, 200);
}

TEST(GameServerAbuse, MalformedAndOversizedRequests) {
  RunningServer server({"--rate", "0"});
  const std::string host = "Host: localhost\r\n", end = "\r\n\r\n";
  const std::string post = "POST /api/games HTTP/1.1\r\n" + host;
  struct Case {
    std::string bytes;
    int status;
    std::string words;
  };
  const std::vector<Case> cases = {
      {"hello" + end, 400, "METHOD PATH HTTP/1.1"},
      {"GET / HTTP/9.9\r\n" + host + "\r\n", 400, "METHOD PATH HTTP/1.1"},
      {"GET  / HTTP/1.1\r\n" + host + "\r\n", 400, "METHOD PATH HTTP/1.1"},
      {"GET http://localhost/ HTTP/1.1\r\n" + host + "\r\n", 400, "the path must begin with /"},
      {"GET /\x80 HTTP/1.1\r\n" + host + "\r\n", 400, "printable ASCII"},
      {"GET / HTTP/1.1" + end, 400, "needs a Host header"},
      {"GET / HTTP/1.1\r\n" + host + host + "\r\n", 400, "Host appears twice"},
      {"GET / HTTP/1.1\r\n" + host + "no colon" + end, 400, "name: value"},
      {"GET / HTTP/1.1\r\n" + host + " folded: line" + end, 400, "name: value"},
      {"GET / HTTP/1.1\r\n" + host + "A: \x01" + end, 400, "control character"},
      {"GET / HTTP/1.1\nHost: a\n\n", 400, "control character"},
      {"GET / HTTP/1.1\r\nHost: a\r" + end, 400, "control character"},
      {std::string("\x16\x03\x01\x02\x00\x01", 6), 400, "control character"},  // TLS
      {post + "Content-Length: many" + end, 400, "not a number of bytes"},
      {post + "Content-Length: -1" + end, 400, "not a number of bytes"},
      {post + "Content-Length: 2\r\nContent-Length: 3" + end, 400, "Content-Length appears twice"},
      {post + "Content-Length: 4097" + end, 413, "larger than 4096 bytes"},
      {post + "Content-Length: 99999999999999999999999" + end, 413, "larger than 4096 bytes"},
      {request("POST", "/api/games", std::string(2'000'000, 'x')), 413, "larger than 4096 bytes"},
      {post + "Transfer-Encoding: chunked" + end + "0" + end, 411, "Content-Length"},
      {post + "Content-Encoding: gzip\r\nContent-Length: 1" + end + "x", 415, "Content-Encoding"},
      {post + "Content-Type: text/plain\r\nContent-Length: 2" + end + "{}", 415,
       "application/json"},
      {"PUT / HTTP/1.1\r\n" + host + "\r\n", 405, "the method must be"},
      {"GET /" + std::string(600, 'a') + " HTTP/1.1\r\n" + host + "\r\n", 414,
       "longer than 512 bytes"},
      {"GET / HTTP/1.1\r\n" + host + "A: " + std::string(9000, 'a') + end, 431, "larger than 8192"},
      {std::string(20'000, 'a'), 431, "larger than 8192"},
  };
  for (const Case& wrong : cases) {
    HttpConnection connection(server.port());
    connection.send(wrong.bytes);
    const HttpAnswer refused = connection.receive();
    const std::string shown = wrong.bytes.substr(0, 60);
    EXPECT_EQ(refused.status, wrong.status) << shown;
    EXPECT_NE(refused.reason().find(wrong.words), std::string::npos) << shown << refused.body;
  }
  // The server ignores headers that it does not use, such as ranges and encodings.
  HttpConnection connection(server.port());
  connection.send("GET / HTTP/1.1\r\n" + host + "Range: bytes=0-,0-,0-\r\nAccept-Encoding: gzip" +
                  end);
  EXPECT_EQ(connection.receive().status, 200);
  expect_served(server);
}

// A page of another site whose name leads to this machine sends that name (DNS rebinding).
TEST(GameServerAbuse, ForeignNames) {
  RunningServer server({"--rate", "0"});
  const std::string port = std::to_string(server.port());
  const auto answer = [&](const std::string& host, const std::string& version = "1.1") {
    HttpConnection connection(server.port());
    const std::string body = R"({"game":"connect_four"})";
    connection.send("POST /api/games HTTP/" + version + "\r\n" + host +
                    "Content-Type: application/json\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
    return connection.receive();
  };
  for (const std::string& own :
       {std::string("localhost"), "LocalHost:" + port, "127.0.0.1:" + port, "[::1]:" + port,
        std::string("localhost:1"), std::string("127.0.0.1")}) {
    EXPECT_EQ(answer("Host: " + own + "\r\n").status, 201) << own;
  }
  EXPECT_EQ(answer("", "1.0").status, 201);
  for (const std::string& foreign :
       {std::string("evil.example"), "evil.example:" + port, "localhost.evil.example:" + port,
        "127.0.0.1.evil.example:" + port, "127.0.0.1@evil.example:" + port, "192.0.2.1:" + port,
        "0.0.0.0:" + port, "[2001:db8::1]:" + port, std::string("::1"), std::string("[::1"),
        ":" + port, std::string()}) {
    const HttpAnswer refused = answer("Host: " + foreign + "\r\n");
    EXPECT_EQ(refused.status, 421) << foreign;
    EXPECT_NE(refused.reason().find("the Host header must name localhost"), std::string::npos);
  }
  EXPECT_EQ(answer("Host: evil.example\r\n", "1.0").status, 421);
  expect_served(server);
}

TEST(GameServerAbuse, AFieldThatIsGivenTwice) {
  RunningServer server({"--rate", "0"});
  const HttpAnswer refused =
      server.ask("POST", "/api/games", R"({"game":"connect_four","game":"backgammon"})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.reason(), "\"game\" is given twice");
  const std::string game = server.open_game("connect_four");
  EXPECT_EQ(server.ask("POST", game + "/move", R"({"move":"4","move":"4"})").status, 400);
  EXPECT_EQ(server.get(game).json().value("ply", -1), 0);
  expect_served(server);
}

TEST(GameServerAbuse, Noise) {
  RunningServer server({"--rate", "0"});
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    HttpConnection connection(server.port());
    std::string bytes = i % 2 == 0 ? "" : request("POST", "/api/games", R"({"game":"backgammon"})");
    if (bytes.empty()) bytes.resize(random() % 2000);
    for (int changes = 0; changes < 1 + i % 7 && !bytes.empty(); ++changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (i % 2 == 0) {
      for (char& c : bytes) c = static_cast<char>(random());
    }
    connection.send(bytes);
    if (i % 3 == 0) continue;  // closes without waiting for an answer
    connection.send("\r\n\r\n");
    connection.receive();
  }
  expect_served(server);
  EXPECT_EQ(server.metric("requests", "answered_5xx"), server.metric("requests", "shed"))
      << "no 5xx answer except 503 for too many games";
}

TEST(GameServerAbuse, RequestsInPiecesAndInARow) {
  RunningServer server({"--rate", "0"});
  HttpConnection connection(server.port());
  const std::string create = request("POST", "/api/games", R"({"game":"connect_four"})");
  for (const char byte : create) ASSERT_TRUE(connection.send({byte}));
  EXPECT_EQ(connection.receive().status, 201);
  std::string row;
  for (int i = 0; i < 50; ++i) row += request("GET", i % 2 == 0 ? "/api" : "/nothing");
  connection.send(row);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(connection.receive().status, i % 2 == 0 ? 200 : 404) << i;
  connection.send("GET /api HTTP/1.0\r\n\r\n");
  EXPECT_EQ(connection.receive().status, 200);
  EXPECT_TRUE(connection.ends()) << "HTTP/1.0 allows one request per connection";
}

// With more slow clients than threads, requests of other clients are still answered.
TEST(GameServerAbuse, SlowRequests) {
  RunningServer server({"--rate", "0", "--threads", "2", "--client-connections", "200"});
  Connections slow;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(std::make_unique<HttpConnection>(server.port()));
    const std::string head = "POST /api/games HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n";
    slow.back()->send(i % 2 == 0 ? head.substr(0, 1 + static_cast<std::size_t>(i) / 2)
                                 : head + "\r\n{\"game\":");
  }
  expect_served(server);
  EXPECT_GE(server.metric("connections", "open"), 101);
  EXPECT_EQ(server.metric("connections", "timed_out"), 0) << "the slow connections are still open";
}

TEST(GameServerAbuse, SlowRequestsAreCutOff) {
  RunningServer server({"--rate", "0", "--request-ms", "300", "--keep-alive-ms", "300"});
  HttpConnection slow(server.port()), silent(server.port()), kept(server.port());
  kept.send(request("GET", "/api"));
  EXPECT_EQ(kept.receive().status, 200);
  // Sending a byte now and then does not extend the deadline.
  const std::string head = "GET / HTTP/1.1\r\nHost: ";
  slow.send(head);
  HttpAnswer refused;
  while (server.metric("connections", "timed_out") < 1) {
    slow.send("a");
    usleep(20'000);
  }
  refused = slow.receive();
  EXPECT_EQ(refused.status, 408);
  EXPECT_EQ(refused.reason(), "the request took too long to arrive");
  EXPECT_TRUE(silent.ends());
  EXPECT_TRUE(kept.ends());
  expect_served(server);
}

// A connection with a partial request is not idle, even if the part follows a whole request.
TEST(GameServerAbuse, RequestsBehindOthersAreCutOffToo) {
  RunningServer server({"--rate", "0", "--request-ms", "300", "--keep-alive-ms", "600000"});
  HttpConnection connection(server.port());
  connection.send(request("GET", "/api") + "GET / HTTP/1.1\r\nHost: ");
  EXPECT_EQ(connection.receive().status, 200);
  EXPECT_EQ(connection.receive().status, 408);
}

TEST(GameServerAbuse, TooManyRequests) {
  RunningServer server({"--rate", "1", "--burst", "5"});
  HttpAnswer answer;
  int served = 0;
  for (; served < 1000 && (answer = server.get("/api")).status == 200; ++served) continue;
  EXPECT_GE(served, 5);
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.reason(), "too many requests: slow down");
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  for (int i = 0; i < 100 && (answer = server.get("/api")).status != 200; ++i) usleep(100'000);
  EXPECT_EQ(answer.status, 200);
}

TEST(GameServerAbuse, TooManyConnections) {
  RunningServer server({"--rate", "0", "--connections", "20", "--client-connections", "10"});
  Connections held;
  for (int i = 0; i < 9; ++i) held.push_back(std::make_unique<HttpConnection>(server.port()));
  expect_served(server);
  held.push_back(std::make_unique<HttpConnection>(server.port()));
  HttpConnection more(server.port());
  const HttpAnswer refused = more.receive();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.reason(), "you have too many connections open");
  held.clear();
  while (server.get("/api").status != 200) usleep(1000);  // until it has seen them close
  expect_served(server);
}

TEST(GameServerAbuse, ConnectionsBeyondAllAreShed) {
  RunningServer server({"--rate", "0", "--connections", "5"});
  Connections held;
  for (int i = 0; i < 5; ++i) held.push_back(std::make_unique<HttpConnection>(server.port()));
  Connections more;
  for (int i = 0; i < 20; ++i) {
    more.push_back(std::make_unique<HttpConnection>(server.port()));
    const int status = more.back()->receive().status;
    if (i < 5) {
      EXPECT_EQ(status, 503) << i;
    } else {
      EXPECT_TRUE(status == 503 || status == 0) << i << ' ' << status;
    }
  }
  held.clear();
  more.clear();
  while (server.get("/api").status != 200) usleep(1000);
  expect_served(server);
  EXPECT_EQ(server.metric("requests", "shed") > 0, true);
}

// With one thread and a queue of one, the third concurrent request is refused, not queued.
TEST(GameServerAbuse, LoadIsShed) {
  RunningServer server({"--rate", "0", "--threads", "1", "--queue", "1", "--games", "4", "--visits",
                        "20000", "--time-ms", "1500"});
  const std::string game = server.open_game("backgammon");
  Connections clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<HttpConnection>(server.port()));
    clients.back()->send(request("POST", game + "/analyse", R"({"visits":20000})"));
  }
  int served = 0, shed = 0;
  for (auto& client : clients) {
    const HttpAnswer answer = client->receive();
    if (answer.status == 200) ++served;
    if (answer.status == 503) {
      ++shed;
      EXPECT_EQ(answer.reason(), "the server is busy: try again later");
      EXPECT_EQ(answer.headers.at("retry-after"), "1");
    }
  }
  EXPECT_GE(served, 1);
  EXPECT_GE(shed, 1);
  EXPECT_EQ(served + shed, 8);
  EXPECT_EQ(server.metric("requests", "shed"), shed);
  expect_served(server);
}

TEST(GameServerAbuse, ClientsThatGoInTheMiddle) {
  RunningServer server({"--rate", "0"});
  const std::string game = server.open_game("backgammon");
  for (int i = 0; i < 30; ++i) {
    HttpConnection connection(server.port());
    connection.send(request("POST", game + "/analyse", R"({"visits":100})"));
  }
  for (int i = 0; i < 30; ++i) {
    HttpConnection connection(server.port());
    connection.send(request("GET", "/"));
  }
  expect_served(server);
}

}  // namespace
}  // namespace senet
