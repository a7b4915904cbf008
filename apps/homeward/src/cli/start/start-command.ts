import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { ConfigureCommand } from '../commands.ts'
import { openOutput } from '../output.ts'
import { addJsonOption } from '../server-options.ts'
import { explainError } from '../../terminal/explain-error.ts'
import { startServer } from '../../server/start-server.ts'

interface StartOptions {
  readonly home?: string
  readonly host?: string
  readonly port?: string
  readonly cloudPort?: string
  readonly json?: boolean
}

const variables = { home: 'HOMEWARD_HOME', host: 'HOST', port: 'PORT', cloudPort: 'CLOUD_PORT' } as const

/** `homeward start`: as `npm start` in the repository, with its most used variables as options. */
export const configureStart: ConfigureCommand = (command, cli) => {
  command
    .option('--home <folder>', 'data home (default: HOMEWARD_HOME, or ~/.homeward)')
    .option('--host <name>', 'where the agent platform listens (default: HOST, or 127.0.0.1)')
    .option('--port <number>', 'port of the agent platform (default: PORT, or 3010)')
    .option('--cloud-port <number>', 'port of the device cloud (default: CLOUD_PORT, or 3000)')
    .addHelpText('after', '\nEvery other setting is an environment variable: see the guide "Configuration".')
  addJsonOption(command).action(async (options: StartOptions) => {
    const output = openOutput(cli, options)
    for (const [option, variable] of Object.entries(variables)) {
      const given = options[option as keyof typeof variables]
      if (given !== undefined) cli.environment[variable] = given
    }
    const show = (address: object, toText: () => string) => output.result(address, toText)
    try {
      await startServer(cli.environment, { show })
    } catch (error) {
      // What has been opened by then must not keep a failed start alive.
      cli.stderr.write(`${explainError(error)}\n`)
      process.exit(error instanceof CliError ? error.exitCode : exitCodes.failed)
    }
  })
}
