// oxlint-disable unicorn/require-post-message-target-origin -- this is a thread, not a window
import { parentPort } from 'node:worker_threads'
import { reasonOf } from '../../ports/reason-of.ts'
import type { ProgramInput } from './program-messages.ts'
import type { ProgramVm } from './program-vm.ts'

// A thread that runs one program. The thread that started it ends it when the program is done, or works for too long.

let vm: Promise<ProgramVm> | undefined

const open = async (): Promise<ProgramVm> => (await import('./program-vm.ts')).createProgramVm()

parentPort?.on('message', (input: ProgramInput) => {
  void (async () => {
    try {
      const report = await (await (vm ??= open())).step(input)
      parentPort?.postMessage({ report })
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
      parentPort?.postMessage({ problem: reasonOf(error), isMissing })
    }
  })()
})
