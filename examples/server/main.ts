import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

// Halves the second start. The cache lies beside the code: whoever may write there may change the code too.
enableCompileCache(resolve(import.meta.dirname, '../../node_modules/.cache/homeward'))

try {
  const [{ readSettings }, { startTrial }] = await Promise.all([
    import('./settings.ts'),
    import('./start-trial.ts'),
  ])
  await startTrial(readSettings(process.env))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
