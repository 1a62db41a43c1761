/** The possible next words of a command line, derived from the command tree itself. */
import type { Command, Option } from 'commander'

export interface Candidates {
  words: string[]
  /** What is being typed, as `app` or `--project`: only the service can list names of what exists. */
  asked: string
}

/** @param words after `svc`; the last is the one being typed, perhaps empty. */
export function findCandidates(program: Command, words: readonly string[]): Candidates {
  const typed = words.at(-1) ?? ''
  const { command, awaited, position } = walk(program, words.slice(0, -1))
  const starts = (texts: readonly string[]): string[] => texts.filter((text) => text.startsWith(typed)).toSorted()
  if (awaited !== undefined) return { words: starts(valuesOf(awaited)), asked: awaited.long ?? '' }
  if (typed.startsWith('-')) return { words: starts(flagsOf(program, command)), asked: '' }
  const names = subcommandsOf(command).map((it) => it.name())
  const argument = command.registeredArguments[position]
  return { words: starts([...names, ...(argument?.argChoices ?? [])]), asked: argument?.name() ?? '' }
}

/** The choices of an option, or those that its flags show: `--tls <on|off>`. */
const valuesOf = ({ argChoices, flags }: Option): readonly string[] =>
  argChoices ?? /<(\w+(?:\|\w+)+)>/.exec(flags)?.[1]?.split('|') ?? []

interface Place {
  command: Command
  /** The option whose value is being typed. */
  awaited?: Option | undefined
  /** Number of arguments given so far. */
  position: number
}

function walk(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, position: 0 }
  for (const word of words) {
    const { command, awaited, position } = place
    if (awaited !== undefined) place = { command, position }
    else if (word.startsWith('-')) {
      const option = [...command.options, ...program.options].find((it) => it.short === word || it.long === word)
      place =
        option !== undefined && (option.required || option.optional) ? { command, awaited: option, position } : place
    } else {
      const next = command.commands.find((it) => it.name() === word || it.aliases().includes(word))
      place = next === undefined ? { command, position: position + 1 } : { command: next, position: 0 }
    }
  }
  return place
}

function flagsOf(program: Command, command: Command): string[] {
  const options = [...new Set([...command.options, ...program.options])].filter((option) => !option.hidden)
  return [...options.map((option) => option.long ?? option.short ?? ''), '--help'].filter((flag) => flag !== '')
}

/** The subcommands shown in help: hidden ones are for programs. */
const subcommandsOf = (command: Command): readonly Command[] => command.createHelp().visibleCommands(command)
