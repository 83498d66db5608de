// manual.c: the program's manual page, from the table of commands that --help is printed from; for `man`, in roff.
// Says nothing of a command that its --help does not say.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "manual.h"
#include "program.h"

// Text as roff shows it: a minus that can be copied, a backslash, and no line that roff would take for a request.
static void print_text(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\\') {
            fputs("\\e", stdout);
        } else if (*c == '-') {
            fputs("\\-", stdout);
        } else {
            putchar(*c);
        }
    }
}

// A line of text; \& keeps a dot or an apostrophe at its beginning from being a request.
static void print_line(const char *text)
{
    fputs("\\&", stdout);
    print_text(text);
    putchar('\n');
}

static void print_title(const struct ga_context *context)
{
    printf(".TH \"%s\" 1 \"\" \"genattn %s\" \"User Commands\"\n.SH NAME\n", context->program, GA_VERSION);
    print_text(context->program);
    fputs(" \\- runs the attention model ", stdout);
    print_line(context->model->name);
    printf(".SH SYNOPSIS\n.B %s\n.I COMMAND\n.RI [ OPTION ]...\n.SH DESCRIPTION\n", context->program);
    print_line("A program that genattn made for one model. It uses the best instruction set that this "
               "CPU has of these.");
    puts(".PP\nInstruction sets:");
    for (size_t i = 0; i < context->model->n_variants; i++) {
        print_line(context->model->variants[i].isa);
    }
}

// --name VALUE in bold and italics, as the tag of a paragraph.
static void print_tag(const char *name, const char *value)
{
    puts(".TP");
    fputs(value ? ".BI \"\\-\\-" : ".B \"\\-\\-", stdout);
    print_text(name);
    if (value) {
        fputs(" \" \"", stdout);
        print_text(value);
    }
    puts("\"");
}

static void print_option(const struct ga_model *model, const struct ga_option *option)
{
    print_tag(option->name, option->value);
    print_line(option->help);
    if (option->required) {
        print_line("(required)");
    }
    if (option->fallback) {
        fputs("\\&[", stdout);
        print_text(option->fallback);
        puts("]");
    }
    if (option->value && strcmp(option->value, GA_LAYOUT_VALUE) == 0) {
        print_line("One of:");
        for (size_t i = 0; i < model->n_maps; i++) {
            print_line(model->maps[i].name);
        }
    }
}

// Lines as they stand; program: what begins each of them, or NULL.
static void print_lines(const char *const *lines, const char *program)
{
    puts(".PP\n.nf");
    for (; *lines; lines++) {
        fputs("\\&", stdout);
        if (program) {
            print_text(program);
            putchar(' ');
        }
        print_line(*lines);
    }
    puts(".fi");
}

static void print_command(const struct ga_context *context, const struct ga_command *command)
{
    printf(".SS \"%s%s%s\"\n", command->name, command->operand ? " " : "", command->operand ? command->operand : "");
    fputs("\\&", stdout);
    print_text(command->summary);
    puts(".");
    for (const struct ga_option *option = command->options; option->name; option++) {
        if (ga_option_is_shown(option)) {
            print_option(context->model, option);
        }
    }
    if (command->notes[0]) {
        print_lines(command->notes, NULL);
    }
    puts(".PP\nExamples:");
    print_lines(command->examples, context->program);
}

enum ga_exit ga_print_manual(const struct ga_context *context, const struct ga_self_option *table, const char *value)
{
    (void)value;
    print_title(context);
    puts(".SH COMMANDS");
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (!ga_command_refusal(context->model, ga_commands[i])) {
            print_command(context, ga_commands[i]);
        }
    }
    puts(".SH OPTIONS\nEvery command has");
    puts(".BR \\-h \", \" \\-\\-help ,\nwhich prints this description of it.");
    for (const struct ga_self_option *option = table; option->name; option++) {
        print_tag(option->name, option->value);
        print_line(option->help);
    }
    puts(".SH \"EXIT STATUS\"\n0 done, 1 failed, 2 wrong usage.");
    return GA_EXIT_OK;
}
