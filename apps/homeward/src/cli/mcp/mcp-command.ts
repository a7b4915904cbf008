import { connectMcpStdio } from '../../mcp/serve-stdio.ts'
import { onTermination } from '../../program/on-termination.ts'
import type { ConfigureCommand } from '../commands.ts'
import { addServerOptions, toServerAddress, type ServerOptions } from '../server-options.ts'

interface McpOptions extends ServerOptions {
  readonly devices?: boolean
}

/** `homeward mcp [--devices]`: stdout belongs to the protocol. */
export const configureMcp: ConfigureCommand = (command, { environment, stdin, stdout, stderr }) => {
  addServerOptions(command)
    .option('--devices', 'serve the tools of the device cloud instead of those of the agents')
    .action((options: McpOptions) => {
      const { url, token } = toServerAddress(options, environment, options.devices ? 'devices' : 'agents')
      const connection = connectMcpStdio({
        url: toMcpEndpoint(url),
        token,
        input: stdin,
        output: stdout,
        onError: (error) => stderr.write(`${error.message}\n`),
      })
      onTermination(() => connection.close())
    })
}

/** The address of the endpoint, for the address of a server or of the endpoint itself. */
export const toMcpEndpoint = (url: string) => (url.endsWith('/mcp') ? url : `${url}/mcp`)
