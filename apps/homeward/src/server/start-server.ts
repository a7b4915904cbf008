import { onTermination } from '../program/on-termination.ts'
import type { Trial, TrialOptions } from './start-trial.ts'

/**
 * Starts both servers with the settings of the environment. They end with SIGINT or SIGTERM, also while they start.
 *
 * @param environment secrets that only the server may know are taken out of it
 * @throws {Error} that says why the server cannot start.
 */
export async function startServer(environment: NodeJS.ProcessEnv, options?: TrialOptions): Promise<void> {
  const starting = start(environment, options)
  // From the first moment on: a server that is asked to end while it starts must not be left behind.
  onTermination(async () => (await starting).close())
  await starting
}

async function start(environment: NodeJS.ProcessEnv, options?: TrialOptions): Promise<Trial> {
  const [{ takeSettings }, { startTrial }] = await Promise.all([
    import('../settings/settings.ts'),
    import('./start-trial.ts'),
  ])
  return startTrial(takeSettings(environment), options)
}
