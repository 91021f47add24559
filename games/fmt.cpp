// fmt's own code, compiled once. libsenet takes fmt's headers alone, so that a host needs no
// libfmt, and the header-only form of fmt costs every file that includes it five seconds of
// compiling.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace senet {

using FormatFunction = std::string (*)(fmt::string_view, fmt::format_args);

// Naming the function makes the compiler emit it here; fmt::format() in all other files calls it.
FormatFunction format_function();
FormatFunction format_function() { return fmt::vformat; }

}  // namespace senet
