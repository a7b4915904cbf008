import type { CliCommand } from '../commands.ts'

/** The row of `homeward device`. In a file of its own, because one executable holds this command alone. */
export const deviceCommand: CliCommand = {
  name: 'device',
  summary: 'Make this machine a device of a cloud: pair, run, install, requests, log, doctor.',
  load: async () => (await import('./device-command.ts')).configureDevice,
}
