import { Command, CommanderError } from 'commander'
import { homewardVersion } from '../program/version.ts'
import type { Cli } from './cli.ts'
import { toFailure, type Failure } from './cli-error.ts'
import type { CliCommand } from './commands.ts'
import { exitCodeHelp, exitCodes } from './exit-codes.ts'

/**
 * Runs one command line of `homeward`.
 *
 * @param args without the program: `['chat', '--url', 'http://127.0.0.1:3010']`
 * @param table the commands: all of `commands.ts`, or those of one executable
 * @returns the exit code. A command that keeps running, such as `start`, returns before it has ended.
 */
export async function runCli(
  args: readonly string[],
  cli: Cli,
  table: readonly CliCommand[],
): Promise<number> {
  try {
    await createProgram(cli, table).parseAsync(toHelpOption(args), { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return printFailure(toFailure(error), args, cli)
  }
}

/** `homeward help chat` has to load the command first, as `homeward chat --help` does. */
function toHelpOption(args: readonly string[]): readonly string[] {
  return args[0] === 'help' ? [...args.slice(1), '--help'] : args
}

function createProgram(cli: Cli, table: readonly CliCommand[]): Command {
  const program = new Command('homeward')
    .description('A device cloud whose devices only ever call out, and a local agent platform.')
    .version(homewardVersion, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .addHelpText('after', `\n${exitCodeHelp}\n\nHelp for one command: homeward <command> --help`)
  applySettings(program, cli)
  for (const { name, summary } of table) applySettings(program.command(name).description(summary), cli)
  program.hook('preSubcommand', async (_program, command) => {
    const configure = await table.find(({ name }) => name === command.name())?.load()
    configure?.(command, cli)
    for (const below of command.commands) applySettings(below, cli)
  })
  return program
}

/** Commander copies settings to commands when they are made; it is done again for those that a command adds. */
function applySettings(command: Command, cli: Cli): void {
  command
    .exitOverride()
    .showHelpAfterError(`Run "homeward --help" to see how it is used.`)
    .configureOutput({
      writeOut: (text) => void cli.stdout.write(text),
      writeErr: (text) => void cli.stderr.write(withoutValues(text)),
      getOutHelpWidth: () => cli.stdout.columns ?? 80,
      getErrHelpWidth: () => cli.stderr.columns ?? 80,
    })
}

/** A mistyped `--tokn=secret` must not repeat the secret. */
const withoutValues = (text: string) => text.replaceAll(/(--?[\w-]+)=[^']*'/g, "$1'")

function printFailure({ message, exitCode }: Failure, args: readonly string[], cli: Cli): number {
  if (message === '') return exitCode // the command has said it all
  const isJson = args.includes('--json')
  cli.stderr.write(`${isJson ? JSON.stringify({ error: message, exit_code: exitCode }) : message}\n`)
  return exitCode
}
