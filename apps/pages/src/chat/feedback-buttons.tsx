import type { Feedback, Rating } from '@homeward/contract/agent-platform'
import { MessageSquareText, ThumbsDown, ThumbsUp } from 'lucide-react'
import { useState } from 'react'
import { ToggleButton } from 'react-aria-components'
import { usePlatformMutation } from '../api/platform.ts'
import { useServerFacts } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { describeError, ErrorState } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

interface FeedbackButtonsProps {
  readonly runId: string
  /** All feedback on the run that the caller may see. */
  readonly feedback: readonly Feedback[]
}

const invalidates = ['getRun', 'listRuns'] as const

/** Says whether an answer was good: a second press takes it back. A comment may be added. */
export function FeedbackButtons({ runId, feedback }: FeedbackButtonsProps) {
  const userId = useServerFacts()?.signIn?.user?.id
  const stored = ownFeedback(feedback, userId)
  const tell = (error: Error) => showToast({ tone: 'bad', ...describeError(error) })
  const set = usePlatformMutation('setRunFeedback', { invalidates, onError: tell })
  const remove = usePlatformMutation('deleteRunFeedback', { invalidates, onError: tell })
  // Shown at once, also while it is being stored.
  const pending = set.isPending ? set.variables.body?.rating : undefined
  const rating = remove.isPending ? undefined : (pending ?? stored?.rating)
  const params = { id: runId }

  function rate(chosen: Rating, isOn: boolean): void {
    if (isOn) set.mutate({ params, body: { rating: chosen, ...commentOf(stored) } })
    else remove.mutate({ params })
  }

  return (
    <>
      <RatingButton label="Good answer" isOn={rating === 'up'} onChange={(isOn) => rate('up', isOn)}>
        <ThumbsUp aria-hidden />
      </RatingButton>
      <RatingButton label="Bad answer" isOn={rating === 'down'} onChange={(isOn) => rate('down', isOn)}>
        <ThumbsDown aria-hidden />
      </RatingButton>
      {stored && rating !== undefined && (
        <Dialog
          title="Comment on this answer"
          trigger={
            <Button variant="quiet" icon={<MessageSquareText aria-hidden />}>
              {stored.comment === undefined ? 'Add a comment' : 'Comment'}
            </Button>
          }
        >
          {(close) => <CommentForm runId={runId} stored={stored} close={close} />}
        </Dialog>
      )}
    </>
  )
}

/** A caller for one user gets its own only; callers without a user share one. */
function ownFeedback(feedback: readonly Feedback[], userId: string | undefined): Feedback | undefined {
  return (
    feedback.find((each) => each.user_id === userId) ?? feedback.find((each) => each.user_id === undefined)
  )
}

const commentOf = (stored: Feedback | undefined) =>
  stored?.comment === undefined ? {} : { comment: stored.comment }

interface RatingButtonProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly children: React.ReactNode
}

function RatingButton({ label, isOn, onChange, children }: RatingButtonProps) {
  return (
    <ToggleButton
      className="button feedback-button"
      data-variant="quiet"
      data-icon-only
      aria-label={label}
      isSelected={isOn}
      onChange={onChange}
    >
      {children}
    </ToggleButton>
  )
}

interface CommentFormProps {
  readonly runId: string
  readonly stored: Feedback
  readonly close: () => void
}

function CommentForm({ runId, stored, close }: CommentFormProps) {
  const [comment, setComment] = useState(stored.comment ?? '')
  const set = usePlatformMutation('setRunFeedback', { invalidates, onSuccess: close })
  const text = comment.trim()
  return (
    <SubmitForm
      error={set.error}
      onSubmit={() =>
        set.mutate({
          params: { id: runId },
          body: { rating: stored.rating, ...(text !== '' && { comment: text }) },
        })
      }
    >
      <TextArea
        label={stored.rating === 'up' ? 'What was good?' : 'What was wrong?'}
        description="People who look after the agent read this. The agent does not."
        value={comment}
        onChange={setComment}
        maxLength={4000}
        autoFocus
      />
      {set.error && <ErrorState error={set.error} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={set.isPending}>
          Save
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
