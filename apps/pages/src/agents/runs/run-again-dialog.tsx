import type { Run } from '@homeward/contract/agent-platform'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/buttons/button.tsx'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { DialogActions } from '../../components/dialogs/dialog-actions.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { TextArea } from '../../components/fields/text-area.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { useRunAgain } from './trace/use-run-again.ts'

/** Starts a run again, as it was or with another task. */
export function RunAgainDialog({ run }: { readonly run: Run }) {
  return (
    <Dialog title="Run again" trigger={<Button icon={<RotateCcw aria-hidden />}>Run again</Button>}>
      {(close) => <RunAgainForm run={run} close={close} />}
    </Dialog>
  )
}

function RunAgainForm({ run, close }: { readonly run: Run; readonly close: () => void }) {
  const [task, setTask] = useState(run.task)
  const again = useRunAgain(run.id)
  return (
    <SubmitForm error={again.error} onSubmit={() => again.start(task === run.task ? {} : { task })}>
      <TextArea
        label="Task"
        description="The agent runs with its current settings, in a new conversation. The earlier run stays."
        value={task}
        onChange={setTask}
        maxLength={1_000_000}
        isRequired
      />
      {again.error && <ErrorState error={again.error} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={again.isPending} isDisabled={task.trim() === ''}>
          Run again
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
