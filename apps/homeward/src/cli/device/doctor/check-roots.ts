import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { failure, type Finding, ok, warning } from './finding.ts'

/** Checks that each folder is there and can be read. A disk that does not respond is found, too. */
export async function checkRootFolders(
  roots: readonly string[],
  isService: boolean,
  sleep: (ms: number) => Promise<unknown>,
): Promise<readonly Finding[]> {
  if (roots.length === 0) {
    return [
      warning(
        'No agent has run here yet, so no folder is open.',
        'Run "homeward device run --root <folder>".',
      ),
    ]
  }
  return Promise.all(
    roots.map(async (root) => {
      const silent = failure(`The disk of ${root} does not respond.`, 'Check the mount, or remove the root.')
      return Promise.race([checkRoot(root, isService), sleep(3000).then(() => silent)])
    }),
  )
}

async function checkRoot(root: string, isService: boolean): Promise<Finding> {
  try {
    if (!(await stat(root)).isDirectory()) {
      return failure(`${root} is not a folder.`, 'Name a folder with --root.')
    }
    await access(root, constants.R_OK | constants.X_OK)
    if (!isService) return ok(`${root} can be read.`)
    return ok(`${root} is there. The service needs to read it: see "homeward device install --help".`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return failure(
        `There is no folder ${root}.`,
        'Make it, mount its disk, or name another one with --root.',
      )
    }
    return failure(
      `${root} cannot be read by this user.`,
      `Give read rights, such as: setfacl -R -m u:USER:rX "${root}"`,
    )
  }
}
