// A file of its own, so that it is compiled in no time: the rest is in the library.
#include "tools/app/tour_program.h"

int main(int argc, char** argv) {
  return app::tour_program(argc, argv);
}
