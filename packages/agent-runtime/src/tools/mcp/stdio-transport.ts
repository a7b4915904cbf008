import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import type { Transport } from '@modelcontextprotocol/client'
import { quoteLongIntegers, withTimeout } from '@homeward/kit'
import { endProcesses } from '../exec/end-processes.ts'
import { createProcessFamily } from '../exec/process-table.ts'
import type { McpClientModules } from './load-mcp-client.ts'
import { maxMessageBytes } from './max-message-bytes.ts'
import type { McpStdioServer } from './mcp-server-config.ts'

/** A transport that can say why it closed by itself. */
export interface McpTransport extends Transport {
  readonly failure?: Error | undefined
}

const closeMs = 1000

/**
 * Speaks with an MCP server over its standard streams. Unlike the client package's own transport it hands on no
 * environment of ours, and when it closes, what the server started ends too.
 *
 * @param environment PATH and LANG are taken from it, and HOME.
 */
export function createStdioTransport(
  server: McpStdioServer,
  environment: Readonly<Record<string, string | undefined>>,
  { ReadBuffer, serializeMessage }: Pick<McpClientModules, 'ReadBuffer' | 'serializeMessage'>,
): McpTransport {
  const buffer = new ReadBuffer({ maxBufferSize: maxMessageBytes })
  let child: ChildProcess | undefined
  let closing: Promise<void> | undefined
  let failure: Error | undefined
  const gather = createLineGatherer()

  const receive = (chunk: Buffer): void => {
    if (closing !== undefined) return
    const lines = gather(chunk)
    if (lines === undefined) return
    try {
      buffer.append(withExactIntegers(lines))
    } catch (cause) {
      failure = new Error(`it sent a message of more than ${maxMessageBytes} bytes`, { cause })
      transport.onerror?.(failure)
      void transport.close()
      return
    }
    for (;;) {
      try {
        const message = buffer.readMessage()
        if (message === null) return
        transport.onmessage?.(message)
      } catch (error) {
        // a line that is no message is skipped: some servers greet people first
        transport.onerror?.(toError(error))
      }
    }
  }

  const stop = async (running: ChildProcess): Promise<void> => {
    const { pid } = running
    if (pid === undefined) return
    const family = createProcessFamily(pid)
    await family.update()
    const ended = new Promise<void>((resolve) => void running.once('close', () => resolve()))
    if (running.exitCode === null && running.signalCode === null) {
      running.stdin?.end()
      await withTimeout(ended, closeMs)
    }
    await endProcesses(pid, family)
  }

  const transport: McpTransport = {
    get failure() {
      return failure
    },
    async start() {
      const started = spawn(server.command, [...(server.args ?? [])], {
        cwd: server.cwd ?? tmpdir(),
        env: environmentOf(server, environment),
        detached: process.platform !== 'win32',
        windowsHide: true,
        shell: false,
        // what it reports is nobody's to read here, and a full pipe would stop it
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      child = started
      started.stdin?.on('error', (error) => transport.onerror?.(error))
      started.stdout?.on('data', receive)
      started.once('close', () => {
        void transport.close()
        transport.onclose?.()
      })
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve)
        started.on('error', reject)
      })
    },
    async send(message) {
      const stdin = child?.stdin
      if (stdin === null || stdin === undefined || !stdin.writable)
        throw new Error('the server process has ended')
      await new Promise<void>((resolve, reject) => {
        stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
      })
    },
    async close() {
      if (child === undefined) return
      await (closing ??= stop(child))
      buffer.clear()
    },
  }
  return transport
}

/**
 * Gathers chunks until a line has ended, or is longer than a message may be. They are joined once: the buffer of the client
 * package copies all that it holds each time.
 */
function createLineGatherer() {
  let chunks: Buffer[] = []
  let bytes = 0
  return (chunk: Buffer): Buffer | undefined => {
    chunks.push(chunk)
    bytes += chunk.length
    if (!chunk.includes('\n') && bytes <= maxMessageBytes) return undefined
    const gathered = Buffer.concat(chunks)
    const end = gathered.lastIndexOf('\n') + 1 || gathered.length
    chunks = [gathered.subarray(end)]
    bytes = gathered.length - end
    return gathered.subarray(0, end)
  }
}

/** Whole lines of JSON, whose long integers the client package would round. */
function withExactIntegers(lines: Buffer): Buffer {
  const text = lines.toString()
  const quoted = quoteLongIntegers(text)
  return quoted === text ? lines : Buffer.from(quoted)
}

function environmentOf(server: McpStdioServer, environment: Readonly<Record<string, string | undefined>>) {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8', HOME = tmpdir() } = environment
  return { PATH, LANG, HOME, ...server.env }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('a message is not valid JSON-RPC')
}
