import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { parseExactJson } from '@homeward/kit'
import { InvalidArgumentError } from 'commander'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { ConfigureCommand } from '../commands.ts'
import { exitCodes } from '../exit-codes.ts'
import { loadFiles } from '../files/load-file.ts'
import { addServerOptions, connectAgents, type ServerOptions, toServerAddress } from '../server-options.ts'
import { cleanLine } from '../../terminal/clean-text.ts'
import { printRun } from './print-run.ts'

interface RunOptions extends ServerOptions {
  readonly file: readonly string[]
  readonly outputSchema?: string
  readonly conversation?: string
  readonly timeout?: number
}

/** `homeward run <agent> <task>`: the answer goes to stdout, everything else to stderr. */
export const configureRun: ConfigureCommand = (command, cli) => {
  addServerOptions(command.argument('<agent>', 'id of the agent'))
    .argument('<task>', 'what the agent has to do; "-" reads it from stdin')
    .option('-f, --file <path>', 'attach a file; may be repeated', append, [])
    .option('--output-schema <path>', 'JSON Schema that the answer has to match')
    .option('--conversation <id>', 'continue a conversation')
    .option('--timeout <seconds>', 'cancel the run after so many seconds', toSeconds)
    .addHelpText('after', helpText)
    .action((agent: string, task: string, options: RunOptions) => run(agent, task, options, cli))
}

const helpText = `
Exit codes of runs: 0 completed, 1 failed, 5 a call waits for approval, 130 cancelled by Ctrl-C.`

const append = (path: string, paths: readonly string[]) => [...paths, path]

function toSeconds(given: string): number {
  const seconds = Number(given)
  if (given.trim() !== '' && seconds > 0 && seconds <= 2_000_000) return seconds
  throw new InvalidArgumentError('Use a number of seconds above 0 and at most 2000000.')
}

async function run(agent: string, task: string, options: RunOptions, cli: Cli): Promise<void> {
  const address = toServerAddress(options, cli.environment)
  const given = task === '-' ? (await text(cli.stdin)).trim() : task
  if (given === '')
    throw new CliError('Running the task failed: the task is empty. Pass a text.', exitCodes.usage)
  const [files, schema] = await Promise.all([loadFiles(options.file), readSchema(options.outputSchema)])
  const request = {
    agent_id: agent,
    task: given,
    idempotency_key: randomUUID(),
    ...(options.conversation !== undefined && { conversation_id: options.conversation }),
    ...(files.length > 0 && { files: [...files] }),
    ...(schema !== undefined && { output_schema: schema }),
  }
  await printRun({
    cli,
    client: connectAgents(address),
    request,
    isJson: options.json === true,
    timeoutMs: options.timeout === undefined ? undefined : options.timeout * 1000,
  })
}

type JsonObject = Record<string, never>

/** @throws {CliError} if the file cannot be read or holds no JSON object */
async function readSchema(path: string | undefined): Promise<JsonObject | undefined> {
  if (path === undefined) return undefined
  const attempt = `Reading the schema ${cleanLine(path)} failed`
  const content = await readFile(path, 'utf8').catch((cause: unknown) => {
    const message = `${attempt}: the file cannot be read. Check the path.`
    throw new CliError(message, exitCodes.usage, { cause })
  })
  try {
    const schema: unknown = parseExactJson(content)
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema as JsonObject // JSON
  } catch {
    // said below
  }
  throw new CliError(`${attempt}: the file must contain a JSON object. Write a JSON Schema.`, exitCodes.usage)
}
