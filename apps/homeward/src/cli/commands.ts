import type { Command } from 'commander'
import type { Cli } from './cli.ts'
import { deviceCommand } from './device/cli-command.ts'

/** Adds arguments, options and the action to the command of one name. */
export type ConfigureCommand = (command: Command, cli: Cli) => void

/** One command of `homeward`. Its code is loaded only when it is called. */
export interface CliCommand {
  readonly name: string
  /** One sentence for `homeward --help`. */
  readonly summary: string
  load(): Promise<ConfigureCommand>
}

/** Every command, in the order of `homeward --help`. */
export const commands: readonly CliCommand[] = [
  {
    name: 'start',
    summary: 'Start the server: the device cloud, the agent platform and their pages.',
    load: async () => (await import('./start/start-command.ts')).configureStart,
  },
  {
    name: 'chat',
    summary: 'Talk to an agent in the terminal.',
    load: async () => (await import('./chat/chat-command.ts')).configureChat,
  },
  {
    name: 'run',
    summary: 'Give an agent one task, and print its answer.',
    load: async () => (await import('./run/run-command.ts')).configureRun,
  },
  {
    name: 'mcp',
    summary: 'Serve an MCP client on stdin and stdout with the tools of a running server.',
    load: async () => (await import('./mcp/mcp-command.ts')).configureMcp,
  },
  {
    name: 'docs',
    summary: 'Serve an MCP client on stdin and stdout with this documentation: for coding agents.',
    load: async () => (await import('./docs/docs-command.ts')).configureDocs,
  },
  {
    name: 'doctor',
    summary: 'Check the installation, and say what to do about what is wrong.',
    load: async () => (await import('./doctor/doctor-command.ts')).configureDoctor,
  },
  {
    name: 'backup',
    summary: 'Back up the data of a server into one file, also while it runs.',
    load: async () => (await import('./backup/backup-command.ts')).configureBackup,
  },
  {
    name: 'restore',
    summary: 'Restore a backup into an empty data home.',
    load: async () => (await import('./backup/backup-command.ts')).configureRestore,
  },
  deviceCommand,
]
