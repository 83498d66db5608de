// model.c: the model that this extension is about. GA_SQLITE_MODEL, its name, is defined by the build.
#include "extension.h"

#define GA_SQLITE_OBJECT_(name) name##_model
#define GA_SQLITE_OBJECT(name) GA_SQLITE_OBJECT_(name)

extern const struct ga_model GA_SQLITE_OBJECT(GA_SQLITE_MODEL);

const struct ga_model *const ga_sqlite_model = &GA_SQLITE_OBJECT(GA_SQLITE_MODEL);
