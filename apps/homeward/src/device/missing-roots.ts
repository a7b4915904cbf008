import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Says which roots are not there. The agent starts all the same: a disk may be mounted later. */
export async function reportMissingRoots(
  roots: readonly string[],
  log: (line: string) => void,
): Promise<void> {
  for (const root of roots) {
    // A mount whose server is gone does not respond; the agent starts all the same.
    const isFolder = await Promise.race([
      stat(root).then(
        (found) => found.isDirectory(),
        () => false,
      ),
      sleep(2000, undefined, { ref: false }),
    ])
    if (isFolder === undefined) log(`The disk of ${root} does not respond.`)
    else if (!isFolder) log(`There is no folder ${root}. Nothing of it is found until there is.`)
  }
}
