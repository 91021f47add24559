// How sure the mean of a few measurements is.
#pragma once

#include <cstdint>

namespace senet {

/// Standard errors on each side of the mean of `degrees + 1` independent measurements in its 95 %
/// interval: the 97.5 % quantile of Student's t with so many degrees of freedom, at least 1.
/// Accurate to 1e-6.
double student_two_sided_95(std::uint64_t degrees);

}  // namespace senet
