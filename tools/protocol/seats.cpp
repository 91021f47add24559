#include "games/registry.hpp"
#include "tools/protocol/seat_of.hpp"

namespace senet::protocol {

Result<std::unique_ptr<Seat>> make_seat(const Options& options) {
  return visit_game(options.game,
                    [&]<class G>(std::type_identity<G>) -> Result<std::unique_ptr<Seat>> {
                      auto seat = std::make_unique<SeatOf<G>>();
                      const Result<void> ready = seat->configure(options, Change::kGame);
                      if (!ready) return ready.error();
                      return std::unique_ptr<Seat>(std::move(seat));
                    });
}

}  // namespace senet::protocol
