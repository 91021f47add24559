// Compiles the implementation of fmt once, so that hosts of libsenet do not need libfmt. Using fmt
// header-only everywhere would add five seconds of compile time to every file that includes it.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace senet {

using FormatFunction = std::string (*)(fmt::string_view, fmt::format_args);

// A reference to the function makes the compiler emit it here; fmt::format() in all other files
// calls it.
FormatFunction format_function();
FormatFunction format_function() { return fmt::vformat; }

}  // namespace senet
