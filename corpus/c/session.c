/* A small session store. free(session) in a comment is no call. */
#include <stdio.h>
#include <stdlib.h>
#include "session.h"

#define MAX_SESSIONS 64
#define SWAP(a, b) do { int t = (a); (a) = (b); (b) = t; } while (0)

typedef struct session {
    int id;
    char *name;
    struct session *next;
    unsigned int flags : 4;
} session_t;

enum state { IDLE, BUSY = 2, CLOSED, };

static const char *labels[] = { "idle", "busy", [CLOSED] = "geschlossen – zu", };
static struct session empty = { .id = 0, .name = NULL, };

static session_t *session_new(int id, const char *name)
{
    session_t *s = malloc(sizeof(session_t));
    if (s == NULL)
        return NULL;
    s->id = id;
    s->name = strdup(name);
    return s;
}

static void session_free(session_t *s, session_t *other)
{
    if (s != NULL) free(s);
    if (s != NULL) {
        free(s);
    }
    if (s != NULL) free(other); // disposes of something else
    if (s == NULL) { free(s); } else { s = NULL; }
    free(s /* the whole of it */);
    free(s); s = NULL;
}

int session_state(session_t *s, enum state state)
{
    switch (state) {
    case IDLE:
        printf("free(s)\n");
        break;
    case BUSY:
    case CLOSED:
        return s->flags & 1 ? 1 : -1;
    default:
        goto out;
    }
    for (int i = 0; i < MAX_SESSIONS; i++)
        s->flags += i * 2;
    for (; s; s = s->next) { s->id++; }
    while (s->id > 0) s->id -= 1;
    do { s->id = s->id == s->id; } while (!s->next);
out:
    return (int) s->id;
}

#ifdef DEBUG
__attribute__((noreturn)) void die(const char *why, ...);
#else
#define die(why) exit(1)
#endif

int main(int argc, char **argv)
{
    int *numbers = NULL, count = 0;
    size_t a = sizeof(int), b = sizeof numbers;
    int product = count * argc;
    session_t *s = session_new(1, "Ærø");
    if (a && (b || product)) die(
        "too much"
    );
    session_free(s, s);
    return product, 0;
}
