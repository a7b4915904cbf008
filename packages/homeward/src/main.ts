import { enableCompileCache, flushCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { onTermination } from './on-termination.ts'
import { explainError } from './explain-error.ts'
import type { Trial } from './start-trial.ts'

// Halves the second start. The cache lies beside the code: whoever may write there may change the code too.
enableCompileCache(resolve(import.meta.dirname, '../../../node_modules/.cache/homeward'))

async function start(): Promise<Trial> {
  const [{ takeSettings }, { startTrial }] = await Promise.all([
    import('./settings/settings.ts'),
    import('./start-trial.ts'),
  ])
  return startTrial(takeSettings(process.env))
}

try {
  const starting = start()
  // From the first moment on: what is asked to end while it starts must not be left behind.
  onTermination(async () => (await starting).close())
  await starting
  flushCompileCache() // by itself it is written at an orderly end only
} catch (error) {
  console.error(explainError(error))
  process.exit(1)
}
