/** A durable queue that carries out trivial tasks: nothing is done but to note that one was begun. */
export interface QueueContender {
  /** Puts so many tasks into the queue, one by one, and waits until all were carried out. */
  process(count: number): Promise<void>
  /** Puts one task into the idle queue. @returns milliseconds until its work began. */
  startOne(): Promise<number>
  close(): Promise<void>
}

/** Builds a contender; imports are part of it. `home` is an empty folder. */
export type CreateQueueContender = (home: string) => Promise<QueueContender>

/** Those that are part of the project, and those that bench/peers installs. */
const modules = {
  'node:sqlite loop': 'contenders/bare-loop.ts',
  'agent-runtime': 'contenders/agent-runtime.ts',
  plainjob: '../peers/contenders/plainjob.ts',
  'plainjob, polling every 10 ms': '../peers/contenders/plainjob-polling.ts',
  'agent-runtime on Postgres': 'contenders/agent-runtime-postgres.ts',
  'agent-runtime on Postgres, told by graphile-worker': 'contenders/agent-runtime-graphile.ts',
  'graphile-worker': 'contenders/graphile-worker.ts',
} as const
export type QueueName = keyof typeof modules
/** Those on SQLite. */
export const queueNames: readonly QueueName[] = [
  'node:sqlite loop',
  'agent-runtime',
  'plainjob',
  'plainjob, polling every 10 ms',
]
/** Those on Postgres. */
export const postgresQueueNames: readonly QueueName[] = [
  'graphile-worker',
  'agent-runtime on Postgres',
  'agent-runtime on Postgres, told by graphile-worker',
]

/** Loads a contender by its name. */
export async function loadQueue(name: QueueName, home: string): Promise<QueueContender> {
  // By address, not by name: the types of the peers are there only where bench/peers is installed.
  const module = new URL(modules[name], import.meta.url)
  const { createContender } = (await import(module.href)) as { createContender: CreateQueueContender }
  return createContender(home)
}
