import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { usePlatformMutation } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'

/** What a {@link ConversationTitle} takes. */
interface ConversationTitleProps {
  readonly conversationId: string
  readonly title: string
}

/** The title of a conversation, which is changed where it stands. */
export function ConversationTitle({ conversationId, title }: ConversationTitleProps) {
  const [isEdited, setIsEdited] = useState(false)
  const stop = () => setIsEdited(false)
  if (isEdited) return <TitleForm conversationId={conversationId} title={title} onEnd={stop} />
  return (
    <span className="chat-title">
      <span className="foreign truncate">{title}</span>
      <IconButton
        label="Rename the conversation"
        icon={<Pencil aria-hidden />}
        onPress={() => setIsEdited(true)}
      />
    </span>
  )
}

function TitleForm({
  conversationId,
  title,
  onEnd,
}: ConversationTitleProps & { readonly onEnd: () => void }) {
  const [text, setText] = useState(title)
  const rename = usePlatformMutation('renameConversation', {
    invalidates: ['getConversation', 'listConversations'],
    onSuccess: onEnd,
  })
  const wanted = text.trim()
  return (
    <SubmitForm
      error={rename.error}
      onSubmit={() => {
        if (wanted !== '') rename.mutate({ params: { id: conversationId }, body: { title: wanted } })
      }}
    >
      <div className="chat-title">
        <TextField
          label="Title of the conversation"
          isLabelHidden
          value={text}
          onChange={setText}
          maxLength={500}
          autoFocus
          onKeyDown={(event) => {
            if (event.key === 'Escape') onEnd()
          }}
          errorMessage={rename.error ? describeError(rename.error).title : undefined}
        />
        <Button type="submit" isDisabled={wanted === ''} isPending={rename.isPending}>
          Rename
        </Button>
        <Button variant="quiet" onPress={onEnd}>
          Cancel
        </Button>
      </div>
    </SubmitForm>
  )
}
