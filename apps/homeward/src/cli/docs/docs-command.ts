import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { loadDocs } from '../../docs/docs-pages.ts'
import { createDocsServer } from '../../docs/docs-server.ts'
import { onTermination } from '../../program/on-termination.ts'
import type { ConfigureCommand } from '../commands.ts'

/** `homeward docs`: stdout belongs to the protocol. */
export const configureDocs: ConfigureCommand = (command, { stdin, stdout, stderr }) => {
  command.action(() => {
    const docs = createDocsServer(loadDocs())
    const connection = serveStdio(() => docs.connect(), {
      transport: new StdioServerTransport(stdin, stdout),
      onerror: (error) => stderr.write(`${error.message}\n`),
    })
    onTermination(async () => {
      await connection.close()
      await docs.close()
    })
  })
}
