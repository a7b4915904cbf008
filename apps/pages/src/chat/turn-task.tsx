import { Pencil } from 'lucide-react'
import { use, useState } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { ChatActionsOfThread } from './chat-actions.ts'
import { LongText } from './long-text.tsx'
import type { Turn } from '@homeward/contract/runs'

const longestTask = 10_000

/** What a person asked, and a way to ask it differently. */
export function TurnTask({ turn, task }: { readonly turn: Turn; readonly task: string }) {
  const actions = use(ChatActionsOfThread)
  const [isEdited, setIsEdited] = useState(false)
  if (isEdited && actions) {
    return (
      <EditedTask
        task={task}
        isDisabled={actions.isBusy}
        onCancel={() => setIsEdited(false)}
        onSend={(changed) => actions.resend(turn, changed)}
      />
    )
  }
  return (
    <div className="chat-asked">
      {actions && turn.createdAt !== undefined && (
        <IconButton
          label="Edit message"
          icon={<Pencil aria-hidden />}
          isDisabled={actions.isBusy}
          onPress={() => setIsEdited(true)}
        />
      )}
      <div className="chat-task foreign" dir="auto">
        {task.length > longestTask ? <LongText text={task} label="Your message" /> : task}
      </div>
    </div>
  )
}

interface EditedTaskProps {
  readonly task: string
  readonly isDisabled: boolean
  readonly onCancel: () => void
  readonly onSend: (task: string) => void
}

function EditedTask({ task, isDisabled, onCancel, onSend }: EditedTaskProps) {
  const [text, setText] = useState(task)
  return (
    <SubmitForm
      error={null}
      onSubmit={() => {
        if (text.trim() !== '') onSend(text)
      }}
    >
      <TextArea
        label="Edited message"
        description="The message is sent in a new conversation with the messages before it. This conversation stays unchanged."
        value={text}
        onChange={setText}
        rows={3}
        maxLength={1_000_000}
        autoFocus
      />
      <div className="row">
        <Button type="submit" variant="primary" isDisabled={isDisabled || text.trim() === ''}>
          Send edited message
        </Button>
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </SubmitForm>
  )
}
