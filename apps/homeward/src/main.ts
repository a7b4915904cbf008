import { enableCompileCache, flushCompileCache } from 'node:module'
import { explainError } from './terminal/explain-error.ts'
import { compileCacheFolder } from './program/package-folder.ts'
import { startServer } from './server/start-server.ts'

// Halves the time of the second start.
enableCompileCache(compileCacheFolder)

try {
  await startServer(process.env)
  flushCompileCache() // by itself it is written at an orderly end only
} catch (error) {
  console.error(explainError(error))
  process.exit(1)
}
