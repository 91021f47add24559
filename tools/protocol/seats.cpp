#include "games/registry.hpp"
#include "tools/protocol/seat.hpp"

namespace senet::protocol {

Result<std::unique_ptr<Seat>> make_seat(const Options& options) {
  const Result<const SeatTable*> table = find_game<SeatTable>(options.game);
  if (!table) return table.error();
  std::unique_ptr<Seat> seat = (*table)->make();
  const Result<void> ready = seat->configure(options, Change::kGame);
  if (!ready) return ready.error();
  return seat;
}

}  // namespace senet::protocol
