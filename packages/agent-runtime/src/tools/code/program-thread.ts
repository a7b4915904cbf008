// oxlint-disable unicorn/require-post-message-target-origin -- this is a thread, not a window
import { Worker } from 'node:worker_threads'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { maxWorkMs, type ProgramInput, type ProgramReport } from './program-messages.ts'

/** A program in a thread of its own, so that its work stops nobody else's. */
export interface ProgramThread {
  /**
   * Gives the program its next input, and waits until it waits itself.
   *
   * @throws {RuntimeError} `run_error` if no sandbox can be started
   */
  step(input: ProgramInput): Promise<ProgramReport>
  /** Ends the thread. Safe to call twice. */
  end(): void
}

/**
 * For starting the thread, and for work inside of the sandbox that ends late, in milliseconds. The sandbox ends nearly all work
 * itself.
 */
const graceMs = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }
/** A bundler has to emit this file next to the one that it makes of this module. */
const file = new URL(
  import.meta.url.endsWith('.ts') ? './program-worker.ts' : './program-worker.js',
  import.meta.url,
)
/** A file cannot be started with the option that says what a text on standard input is. */
const execArgv = process.execArgv.filter((option) => !option.startsWith('--input-type'))

const attempt = 'Running the program failed:'

/** Starts a thread for one program. It does not keep the process alive, and it gets no environment. */
export function startProgramThread(): ProgramThread {
  const worker = new Worker(file, { resourceLimits, execArgv, env: {} })
  worker.on('error', () => {}) // the step in progress hears of it
  worker.unref()
  return {
    async step(input) {
      const answer = nextAnswer(worker)
      worker.postMessage(input)
      const { report, problem, isMissing } = await answer
      if (report) return report
      if (isMissing)
        throw new RuntimeError(
          'run_error',
          `${attempt} the package "quickjs-wasi" is not installed. Install it next to @homeward/agent-runtime.`,
        )
      throw new RuntimeError('run_error', `${attempt} ${problem ?? 'its thread ended'}.`)
    },
    end: () => void worker.terminate(),
  }
}

interface Answer {
  readonly report?: ProgramReport
  readonly problem?: string
  readonly isMissing?: boolean
}

const tooLong = `it worked longer than ${maxWorkMs / 1000} s and could not be stopped otherwise`

function nextAnswer(worker: Worker): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer) => {
      clearTimeout(timer)
      worker.off('message', settle)
      worker.off('exit', onExit)
      worker.off('error', onError)
      resolve(answer)
    }
    const onExit = () => settle({})
    const onError = (error: unknown) => settle({ problem: String(error) })
    const timer = setTimeout(() => {
      void worker.terminate()
      settle({ problem: tooLong })
    }, maxWorkMs + graceMs)
    worker.on('message', settle)
    worker.on('exit', onExit)
    worker.on('error', onError)
  })
}
