// A fake GNU Backgammon that answers every request with the same line.
//
//   fake_gnubg ANSWER [arguments of gnubg, the last of which is the file of commands]
//
// Listens on the socket in the file's line "external SOCKET" and serves one connection.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string answer = argv[1] + std::string("\n");
  std::string path;
  std::ifstream commands(argv[argc - 1]);
  for (std::string line; std::getline(commands, line);) {
    if (line.starts_with("external ")) path = line.substr(9);
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener, 1) != 0) {
    return 3;
  }
  std::cout << "Waiting for a connection from " << path << "..." << std::endl;
  const int customer = ::accept(listener, nullptr, nullptr);
  char question[1024];
  while (::read(customer, question, sizeof question) > 0) {
    if (::write(customer, answer.data(), answer.size()) < 0) return 4;
  }
  return 0;
}
