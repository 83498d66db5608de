// standard_files.h: descriptors 0, 1 and 2, of a process that may have been started without some of them.
#ifndef GA_STANDARD_FILES_H
#define GA_STANDARD_FILES_H

// Opens those that are closed, so that no file which is opened later becomes standard output or takes messages. Reading
// from such a standard input fails, as does writing to such an output. To be called before anything is opened.
void ga_open_standard_files(void);

#endif
