/**
 * `bursar completion`: what a shell completes commands, options and event types by, made of the
 * tree of commands.
 */
import { Argument, type Command } from 'commander'
import { withUsageStatus } from './access.ts'
import { eventTypes } from './event-types.ts'
import { sampleNames } from './samples.ts'
import { print } from './terminal.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** Adds `bursar completion`. @param whole gives the tree of all commands */
export function addCompletionCommand(program: Command, whole: () => Command): void {
  withUsageStatus(program.command('completion'))
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'which').choices(shells))
    .addHelpText(
      'after',
      `
For good, where \`bursar\` is on the path:
  bash  echo 'eval "$(bursar completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(bursar completion zsh)"' >> ~/.zshrc      (after compinit)
  fish  bursar completion fish > ~/.config/fish/completions/bursar.fish`,
    )
    .action((shell: Shell) => print(completionOf(whole(), shell)))
}

/** A command by the words that lead to it; `words` are what may follow, each with what it does. */
type Place = { path: string; words: [word: string, does: string][]; hasFiles: boolean }

/** What the arguments of commands are. */
const argumentValues: Record<string, readonly string[]> = {
  trigger: eventTypes,
  samples: sampleNames,
  completion: shells,
}
/** What options are given. */
const optionValues: Record<string, readonly string[]> = {
  '--type': eventTypes,
  '--events': eventTypes,
}

function placesOf(command: Command, path = ''): Place[] {
  const below = command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`.trim()))
  const words: Place['words'] = [
    ...command.commands.map((one): [string, string] => [one.name(), one.description()]),
    ...(argumentValues[path] ?? []).map((value): [string, string] => [value, '']),
    ...command.options.map(({ long, description }): [string, string] => [
      long as string,
      description,
    ]),
    ['--help', 'display help for command'],
  ]
  return [
    {
      path,
      words,
      hasFiles: command.commands.length === 0 && command.registeredArguments.length > 0,
    },
    ...below,
  ]
}

/** The script of a shell. */
export function completionOf(program: Command, shell: Shell): string {
  return writers[shell](placesOf(program))
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const paths = (places: Place[], between: string): string =>
  places
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join(between)

const writers: Record<Shell, (places: Place[]) => string> = {
  bash: (places) => `# Completes bursar in bash.
_bursar() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= words= word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${at:+$at }\${COMP_WORDS[i]}"
    case "$word" in
      ${paths(places, ' | ')}) at=$word ;;
    esac
  done
  case "$prev" in
${Object.entries(optionValues)
  .map(([option, values]) => `    ${option}) words=${quoted(values.join(' '))} ;;`)
  .join('\n')}
    *) case "$at" in
${places.map(({ path, words }) => `      ${quoted(path)}) words=${quoted(words.map(([word]) => word).join(' '))} ;;`).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _bursar bursar`,

  zsh: (places) => `#compdef bursar
# Completes bursar in zsh.
_bursar() {
  local at= word next
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${at:+$at }$word"
    case "$next" in
      ${paths(places, ' | ')}) at=$next ;;
    esac
  done
  case "$words[CURRENT-1]" in
${Object.entries(optionValues)
  .map(([option, values]) => `    ${option}) found=(${values.map(quoted).join(' ')}) ;;`)
  .join('\n')}
    *) case "$at" in
${places
  .map(
    ({ path, words }) =>
      `      ${quoted(path)}) found=(${words.map(([word, does]) => quoted(does === '' ? word : `${word}:${does.replaceAll(':', '\\:')}`)).join(' ')}) ;;`,
  )
  .join('\n')}
    esac ;;
  esac
  _describe bursar found
  _files
}
if [ "$funcstack[1]" = _bursar ]; then _bursar "$@"; else compdef _bursar bursar; fi`,

  fish: (places) => `# Completes bursar in fish.
function __bursar_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$at $word")
    switch $next
      case ${paths(places, ' ')}
        set at $next
    end
  end
  test "$at" = "$argv[1]"
end
${places
  .flatMap(({ path, words, hasFiles }) =>
    words.map(([word, does]) => {
      const given = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${quoted(word)}`
      const values = optionValues[word] ? ` -x -a ${quoted(optionValues[word].join(' '))}` : ''
      return `complete -c bursar -n ${fishQuoted(`__bursar_at ${fishQuoted(path)}`)}${hasFiles ? '' : ' -f'} ${given}${values} -d ${fishQuoted(does)}`
    }),
  )
  .join('\n')}`,
}

/** fish reads a backslash before a quote, or before another, between single quotes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
