import { enableCompileCache, flushCompileCache } from 'node:module'
import { compileCacheFolder } from '../program/package-folder.ts'

/** Runs the command line of this process. A command that keeps running goes on behind it. */
export async function runProcess(): Promise<void> {
  // Halves the time of the second start.
  enableCompileCache(compileCacheFolder)
  // `homeward … | head` closes the pipe early: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  const [{ runCli }, { processCli }, { commands }] = await Promise.all([
    import('./run-cli.ts'),
    import('./cli.ts'),
    import('./commands.ts'),
  ])
  process.exitCode = await runCli(process.argv.slice(2), processCli(), commands)
  flushCompileCache() // by itself it is written at an orderly end only
}
