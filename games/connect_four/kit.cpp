#include "games/connect_four/kit.hpp"

#include <memory>
#include <utility>

#include "games/connect_four/kit/exam.hpp"

namespace senet {

Result<Exam> GameKit<ConnectFour>::read_exam(const std::string& file) {
  auto read = connect_four::read_labels(file);
  if (!read) return read.error();
  Exam exam;
  for (const connect_four::Label& label : *read) exam.positions.push_back(any(label.state));
  const auto labels = std::make_shared<const std::vector<connect_four::Label>>(std::move(*read));
  exam.grading.grade = [labels](std::span<const MoveMix> moves, const GradeProgress& progress) {
    return connect_four::grade(*labels, moves, progress);
  };
  exam.grading.answer_line = [labels](std::size_t position, Action answer) {
    const connect_four::Label& label = (*labels)[position];
    return label.moves + "," + label.state.action_text(answer);
  };
  return exam;
}

}  // namespace senet
