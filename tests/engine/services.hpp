// Services with small networks, for tests.
#pragma once

#include <gtest/gtest.h>

#include "engine/host/service.hpp"
#include "tests/engine/small_network.hpp"

namespace senet {

using std::chrono::microseconds;
using std::chrono::seconds;

inline std::unique_ptr<Service> open_service(const ServiceSettings& settings) {
  auto service = Service::open(settings);
  EXPECT_TRUE(service) << service.error().reason();
  return std::move(*service);
}

inline SharedNetwork shared(Network network) {
  return std::make_shared<const Network>(std::move(network));
}

template <Game G>
void use_small_network(Service& service, std::uint64_t seed,
                       Evaluates evaluates = Evaluates::kPosition) {
  const auto used = service.use(shared(small_network<G>(seed, evaluates)));
  ASSERT_TRUE(used) << used.error().reason();
}

/// How long a test waits for what must happen. Long, because a busy machine with sanitizers is
/// slow.
inline constexpr std::chrono::minutes kPatience{10};

inline Session& open_session(Service& service, std::string_view game) {
  const auto session = service.open_session(game);
  EXPECT_TRUE(session) << session.error().reason();
  return **session;
}

inline SessionResult search(Service& service, Session& session, const SessionLimits& limits) {
  const auto begun = service.search(session, limits, nullptr);
  EXPECT_TRUE(begun) << begun.error().reason();
  EXPECT_TRUE(session.wait(kPatience));
  const auto result = session.result();
  EXPECT_TRUE(result) << result.error().reason();
  return *result;
}

}  // namespace senet
