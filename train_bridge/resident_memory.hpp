// How much memory this process has in use.
#pragma once

namespace senet {

/// Resident memory of this process now, in MiB; 0 where /proc does not say.
double resident_mib();

}  // namespace senet
