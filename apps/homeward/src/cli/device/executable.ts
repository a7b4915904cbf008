import { processCli } from '../cli.ts'
import { runCli } from '../run-cli.ts'
import { deviceCommand } from './cli-command.ts'

/** The device commands alone, for the executable without Node: `homeward-device pair` or `homeward-device device pair`. */
async function main(args: readonly string[]): Promise<void> {
  const isRoot = args[0] === 'device' || args[0] === '--version' || args[0] === '-V'
  process.exitCode = await runCli(isRoot ? args : ['device', ...args], processCli(), [deviceCommand])
}

void main(process.argv.slice(2))
