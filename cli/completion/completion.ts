/** `svc completion`: a script with which the shell asks this program for the next words. */
import { Argument, Command } from 'commander'
import type { Cli } from '../session/session.ts'

const scripts: Readonly<Record<string, string>> = {
  bash: `# bash: source <(svc completion bash)
_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(svc __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
# zsh: source <(svc completion zsh)
_svc() {
  local -a found
  found=(\${(f)"$(svc __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found
}
compdef _svc svc
`,
  fish: `# fish: svc completion fish | source
function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  svc __complete -- $words[2..-1] 2>/dev/null
end
complete -c svc -f -a '(__svc_complete)'
`,
}

export function completion(cli: Cli): Command {
  return new Command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(scripts)))
    .addHelpText('after', '\nExamples:\n  source <(svc completion bash)\n  svc completion fish | source')
    .action((shell: string) => cli.terminal.raw(scripts[shell] ?? ''))
}
