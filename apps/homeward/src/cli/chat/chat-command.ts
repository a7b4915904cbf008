import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { ConfigureCommand } from '../commands.ts'
import { exitCodes } from '../exit-codes.ts'
import { hasColors } from '../output.ts'
import type { AgentsClient } from '../agents-client.ts'
import { printRun } from '../run/print-run.ts'
import { addServerOptions, connectAgents, type ServerOptions, toServerAddress } from '../server-options.ts'
import { findAgent, readConversation } from './chat-lists.ts'

interface ChatOptions extends ServerOptions {
  readonly conversation?: string
}

/** What every kind of chat needs. */
export interface ChatContext {
  readonly cli: Cli
  readonly client: AgentsClient
  /** Of the server. */
  readonly url: string
  readonly agentId: string
  readonly conversationId: string | undefined
  readonly hasColor: boolean
  /** File with earlier inputs. */
  readonly historyPath: string
}

/** `homeward chat [agent]`: with a terminal a conversation, otherwise one message from stdin and its answer. */
export const configureChat: ConfigureCommand = (command, cli) => {
  addServerOptions(command.argument('[agent]', 'id of the agent (default: the oldest one)'))
    .option('--conversation <id>', 'continue a conversation')
    .addHelpText('after', '\nWithout a terminal, one message is read from stdin, and its answer is printed.')
    .action((agent: string | undefined, options: ChatOptions) => chat(agent, options, cli))
}

async function chat(agent: string | undefined, options: ChatOptions, cli: Cli): Promise<void> {
  const { environment, stdin, stdout } = cli
  const address = toServerAddress(options, environment)
  const client = connectAgents(address)
  const conversationId = options.conversation
  if (stdin.isTTY !== true) return answerOnce(agent, options, cli, client)
  if (options.json === true) {
    const message = 'Starting the chat failed: with --json the message is read from stdin. Pipe it in.'
    throw new CliError(message, exitCodes.usage)
  }
  const context: ChatContext = {
    cli,
    client,
    url: address.url,
    agentId: await findAgent(client, agent ?? (await agentOf(client, conversationId))),
    conversationId,
    hasColor: hasColors(cli),
    historyPath: join(environment['HOMEWARD_HOME'] ?? join(homedir(), '.homeward'), 'chat-history'),
  }
  const hasCursor = stdout.isTTY === true && environment['TERM'] !== 'dumb'
  if (hasCursor) await (await import('./chat-on-terminal.ts')).chatOnTerminal(context)
  else await (await import('./chat-in-lines.ts')).chatInLines(context)
}

async function agentOf(client: AgentsClient, conversationId: string | undefined) {
  if (conversationId === undefined) return undefined
  return (await readConversation(client, conversationId)).agentId
}

async function answerOnce(
  agent: string | undefined,
  options: ChatOptions,
  cli: Cli,
  client: AgentsClient,
): Promise<void> {
  const task = (await text(cli.stdin)).trim()
  if (task === '')
    throw new CliError(
      'Sending the message failed: stdin is empty. Pipe a message into the command.',
      exitCodes.usage,
    )
  const agentId = await findAgent(client, agent ?? (await agentOf(client, options.conversation)))
  await printRun({
    cli,
    client,
    isJson: options.json === true,
    request: {
      agent_id: agentId,
      task,
      idempotency_key: randomUUID(),
      ...(options.conversation !== undefined && { conversation_id: options.conversation }),
    },
  })
}

/** What stands below a chat that has ended. */
export function toFarewell(agentId: string, conversationId: string | undefined): string {
  if (conversationId === undefined) return ''
  return `Continue with: homeward chat ${agentId} --conversation ${conversationId}\n`
}
