import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** A browser with one tab, driven by WebDriver: what its standard has is enough here, and no package is needed. */
export interface DrivenBrowser extends AsyncDisposable {
  /** Loads a page. */
  open(url: string): Promise<void>
  /** Evaluates an expression in the page. Its value must be a string. */
  evaluate(expression: string): Promise<string>
  /** Types on a keyboard. `\uE007` is Enter. */
  type(text: string): Promise<void>
}

/** How a browser is found and started. */
interface OtherBrowser {
  readonly name: string
  /** What is missing here, and how to get it. Undefined if the browser can be started. */
  readonly missing: string | undefined
  start(): Promise<DrivenBrowser>
}

function findProgram(...names: string[]): string | undefined {
  const folders = process.env['PATH']?.split(delimiter) ?? []
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path))
}

const firefox = findProgram('firefox-esr', 'firefox')
const webKitDriver = findProgram('WebKitWebDriver')
const screen = findProgram('Xvfb')

/** The browsers besides Chromium in which the pages are tried. */
export const otherBrowsers: readonly OtherBrowser[] = [
  {
    name: 'Firefox',
    missing: firefox ? undefined : 'no Firefox was found; Debian: apt-get install firefox-esr',
    start: () => startFirefox(firefox ?? ''),
  },
  {
    name: 'WebKitGTK',
    missing:
      webKitDriver && screen
        ? undefined
        : 'WebKitWebDriver or Xvfb was not found; Debian: apt-get install webkit2gtk-driver xvfb',
    start: () => startWebKit(webKitDriver ?? '', screen ?? ''),
  },
]

/** Keys as both protocols take them. */
const keyActions = (text: string) => [
  {
    type: 'key',
    id: 'keyboard',
    actions: [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]),
  },
]

/** Starts Firefox and drives it by WebDriver BiDi. */
async function startFirefox(program: string): Promise<DrivenBrowser> {
  await using stack = new AsyncDisposableStack()
  const profile = await mkdtemp(join(tmpdir(), 'homeward-firefox-'))
  stack.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }))
  const child = spawn(
    program,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  stack.defer(() => end(child))
  const address = await firstMatch(child.stderr, /WebDriver BiDi listening on (ws:\S+)/)
  const { send, close } = await openSocket(`${address}/session`)
  stack.defer(close)
  await send('session.new', { capabilities: {} })
  const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: { context: string }[] }
  const context = contexts[0]?.context
  const owned = stack.move()
  return {
    open: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    async evaluate(expression) {
      const call = { expression, target: { context }, awaitPromise: true }
      const { result, exceptionDetails } = (await send('script.evaluate', call)) as Evaluated
      if (exceptionDetails) throw new Error(`Evaluating ${expression} failed: ${exceptionDetails.text}`)
      return result?.value ?? ''
    },
    type: async (text) => void (await send('input.performActions', { context, actions: keyActions(text) })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

interface Evaluated {
  readonly result?: { readonly value?: string }
  readonly exceptionDetails?: { readonly text: string }
}

/** Commands of WebDriver BiDi over its socket. */
async function openSocket(url: string) {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, message } = JSON.parse(String(data)) as {
      readonly id?: number
      readonly type: string
      readonly result?: unknown
      readonly message?: string
    }
    const waiter = waiting.get(id ?? -1)
    if (type === 'error') waiter?.reject(new Error(message))
    else waiter?.resolve(result)
  })
  let sent = 0
  return {
    send(method: string, params: object): Promise<unknown> {
      const waiter = Promise.withResolvers<unknown>()
      waiting.set((sent += 1), waiter)
      socket.send(JSON.stringify({ id: sent, method, params }))
      return waiter.promise
    },
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

/** Starts WebKitGTK's browser on a screen of its own and drives it by WebDriver. */
async function startWebKit(program: string, screenProgram: string): Promise<DrivenBrowser> {
  await using stack = new AsyncDisposableStack()
  const display = spawn(
    screenProgram,
    ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  stack.defer(() => end(display))
  const number = await firstMatch(display.stdout, /^(\d+)$/)
  const port = await freePort()
  const driver = spawn(program, [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${number}` },
  })
  stack.defer(() => end(driver))
  const send = (method: string, path: string, body?: object) =>
    command(`http://127.0.0.1:${port}${path}`, method, body)
  await untilListening(`http://127.0.0.1:${port}/status`, driver)
  const { sessionId } = (await send('POST', '/session', { capabilities: {} })) as { sessionId: string }
  const session = `/session/${sessionId}`
  stack.defer(async () => void (await send('DELETE', session)))
  const owned = stack.move()
  return {
    open: async (url) => void (await send('POST', `${session}/url`, { url })),
    async evaluate(expression) {
      const script = { script: `return ${expression}`, args: [] }
      return String(await send('POST', `${session}/execute/sync`, script))
    },
    type: async (text) => void (await send('POST', `${session}/actions`, { actions: keyActions(text) })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function command(url: string, method: string, body?: object): Promise<unknown> {
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) })
  const { value } = (await response.json()) as { readonly value: { readonly message?: string } | null }
  if (!response.ok) throw new Error(`Driving the browser failed: ${value?.message}`)
  return value
}

async function untilListening(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The driver ended with ${child.exitCode}.`)
    const response = await fetch(url).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The driver cannot choose one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function firstMatch(output: Readable, wanted: RegExp): Promise<string> {
  const lines = createInterface(output)
  for await (const line of lines) {
    const [, found] = wanted.exec(line) ?? []
    if (found === undefined) continue
    output.resume() // nobody reads on, and a full pipe would stop the browser
    return found
  }
  throw new Error(`The browser ended before it printed ${String(wanted)}.`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill()
  await exited
}
