import { enableCompileCache, flushCompileCache } from 'node:module'
import { resolve } from 'node:path'

// Halves the second start. The cache lies beside the code: whoever may write there may change the code too.
enableCompileCache(resolve(import.meta.dirname, '../../node_modules/.cache/homeward'))

try {
  const [{ takeSettings }, { startTrial }] = await Promise.all([
    import('./settings.ts'),
    import('./start-trial.ts'),
  ])
  await startTrial(takeSettings(process.env))
  flushCompileCache() // by itself it is written at an orderly end only
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
