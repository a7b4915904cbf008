import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** What a child process can be asked for, by name; `Calls` says what goes in and what comes out. */
type Answers<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

type AnyCalls = Record<string, (...args: never[]) => unknown>

interface Question {
  readonly name: string
  readonly args: readonly unknown[]
}
type Reply = { readonly result: unknown } | { readonly failure: string }

/** A process of its own, so that what is measured shares neither heap nor event loop with what measures. */
export interface Child<Calls> extends AsyncDisposable {
  readonly call: Answers<Calls>
}

/** Flags under which the packages are loaded from their source. */
export const fromSource: readonly string[] = ['--conditions=@homeward/source']

/** Flags under which they are loaded as they are published: stripping types takes time and memory that is not theirs. */
export const fromBuild: readonly string[] = []

/** Starts a module in a process of its own. The module ends with a call of {@link answerParent}. */
export function startChild<Calls>(
  module: URL,
  args: readonly string[],
  nodeFlags: readonly string[] = fromSource,
): Child<Calls> {
  const child = fork(module, args, { execArgv: [...nodeFlags] })
  const ended = once(child, 'exit')
  const call = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args: unknown[]) =>
          ask(child, String(name), args),
    },
  )
  return {
    // The proxy answers to every name; `Calls` says which of them the module knows.
    call: call as Answers<Calls>,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.connected) child.disconnect()
      await ended
    },
  }
}

/** One question at a time: the next message of the child is the answer. */
async function ask(child: ChildProcess, name: string, args: readonly unknown[]): Promise<unknown> {
  const settled = new AbortController()
  const { signal } = settled
  try {
    const answered = once(child, 'message', { signal }) as Promise<[Reply]>
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error(`Asking a child process for ${name}: it ended. Its output says why.`)
    })
    child.send({ name, args } satisfies Question)
    const [reply] = await Promise.race([answered, ended])
    if ('failure' in reply) throw new Error(`Asking a child process for ${name}: ${reply.failure}`)
    return reply.result
  } finally {
    settled.abort()
  }
}

/** The child's side: answers each question, and ends with `close` when the parent is done or gone. */
export function answerParent(calls: AnyCalls, close: () => Promise<void> = async () => {}): void {
  process.on('message', ({ name, args }: Question) => {
    void Promise.resolve()
      .then(() => calls[name]!(...(args as never[])))
      .then(
        (result): Reply => ({ result }),
        (error: unknown): Reply => ({ failure: String(error) }),
      )
      .then((reply) => process.send!(reply))
  })
  process.once('disconnect', () => void close().finally(() => process.exit()))
}
