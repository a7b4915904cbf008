import { type FollowedRun, followRun } from '@homeward/contract/runs'
import { Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { platform } from '../api/platform.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { useUnloadQuestion } from '../components/dialogs/use-unload-question.ts'
import { handOver } from '../tasks/task-draft.ts'
import { noWorkOptions, toWorkFields, workFieldNames, type WorkOptions } from '../tasks/task-draft.ts'
import { WorkOptionsForm } from '../tasks/work-options-form.tsx'

/** What a {@link RunGraphForm} takes. */
interface RunGraphFormProps {
  readonly graphId: string
  /** Whether a node of the graph reads the input. */
  readonly isInputNeeded: boolean
  /** A run has begun. */
  readonly onStarted: (runId: string) => void
}

/** Asks for the input of a graph, and runs it. Leaving the page stops nothing. */
export function RunGraphForm({ graphId, isInputNeeded, onStarted }: RunGraphFormProps) {
  const [input, setInput] = useState('')
  const [options, setOptions] = useState(noWorkOptions)
  const [error, setError] = useState<Error>()
  const [isStarting, setIsStarting] = useState(false)
  const idempotency = useIdempotencyKey()
  const isWritten = input !== '' || options !== noWorkOptions
  // What a run has begun with is kept there.
  const [startedWith, setStartedWith] = useState<{ readonly input: string; readonly options: WorkOptions }>()
  useUnloadQuestion(isWritten && (input !== startedWith?.input || options !== startedWith.options))
  const reading = useRef<AbortController>(undefined)
  useEffect(() => () => reading.current?.abort(), [])

  async function start(): Promise<void> {
    setError(undefined)
    setIsStarting(true)
    reading.current = new AbortController()
    try {
      const body = { graph_id: graphId, input, ...toWorkFields(options) }
      // Sent again after a lost answer, it joins the run that was begun.
      const once = { idempotency_key: idempotency.keyFor(body), ...body }
      const runId = await firstRunId(once, reading.current)
      if (runId === undefined) return
      idempotency.done()
      setStartedWith({ input, options })
      onStarted(runId)
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setIsStarting(false)
    }
  }

  const [isAsked, setIsAsked] = useState(false)
  const isMissing = isAsked && isInputNeeded && input.trim() === ''

  function submit(): void {
    if (isInputNeeded && input.trim() === '') setIsAsked(true)
    else void start()
  }

  const { fields, rest } = toFieldErrors(error ?? null, ['input', ...workFieldNames])
  return (
    <SubmitForm onSubmit={submit} error={error ?? isMissing}>
      <TextArea
        label="Input"
        value={input}
        onChange={setInput}
        rows={3}
        isRequired={isInputNeeded}
        maxLength={1_000_000}
        errorMessage={isMissing ? 'Enter an input. This graph reads it.' : fields.input}
      />
      <WorkOptionsForm options={options} onChange={setOptions} errors={fields} />
      {rest && <ErrorState error={rest} isInline />}
      <div className="row" data-justify="end">
        <LinkButton
          href={`/tasks/new?graph=${encodeURIComponent(graphId)}`}
          {...(isWritten && { routerOptions: { state: handOver({ task: input, options }) } })}
        >
          Run as a task
        </LinkButton>
        <Button type="submit" variant="primary" icon={<Play aria-hidden />} isPending={isStarting}>
          Run
        </Button>
      </div>
    </SubmitForm>
  )
}

/** Starts a run; from its first event on it is followed by its id, as after a reload. */
async function firstRunId(run: FollowedRun, reading: AbortController): Promise<string | undefined> {
  for await (const item of followRun(platform, run, { startedBy: 'page', signal: reading.signal })) {
    if (item.event !== 'start') continue
    reading.abort()
    return item.data.run_id
  }
  return undefined
}
