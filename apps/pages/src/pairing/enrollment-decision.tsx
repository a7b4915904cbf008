import type { ReplyOf } from '@homeward/contract'
import {
  type DeviceCloudOperations,
  type EnrollmentPreview,
  readDeviceFolders,
} from '@homeward/contract/device-cloud'
import { useState } from 'react'
import { useCloudMutation } from '../api/cloud.ts'
import { toFieldErrors } from '../api/field-errors.ts'
import { Button } from '../components/buttons/button.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { Card } from '../components/layout/card.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import '../components/layout/bare-list.css'
import { RelativeTime } from '../components/text/relative-time.tsx'

type Approved = ReplyOf<DeviceCloudOperations['approveEnrollment']>

interface Draft {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
}

const deviceTypes = ['desktop', 'laptop', 'server', 'mobile', 'tablet', 'iot', 'other']

interface EnrollmentDecisionProps {
  readonly enrollment: EnrollmentPreview
  readonly onApproved: (reply: Approved) => void
  readonly onDenied: () => void
}

/** Shows what a waiting device says of itself and where it comes from, and asks what to do with it. */
export function EnrollmentDecision({ enrollment, onApproved, onDenied }: EnrollmentDecisionProps) {
  const { id, name, type, platform, metadata, address, createdAt, expiresAt } = enrollment
  const { os, version, hardware } = metadata
  const folders = readDeviceFolders(metadata)
  const [draft, setDraft] = useState<Draft>({ name, type, labels: [] })
  // A device says of itself what it is. A person knows better.
  const correct = useCloudMutation('updateDevice', { invalidates: ['listDevices'] })
  const approve = useCloudMutation('approveEnrollment', {
    invalidates: ['listDevices', 'listEnrollmentTokens'],
    async onSuccess(reply) {
      const corrected = draft.type.trim()
      const { deviceId } = reply.enrollment
      if (deviceId !== undefined && corrected !== '' && corrected !== type)
        await correct
          .mutateAsync({ params: { id: deviceId }, body: { type: corrected } })
          .catch(() => undefined)
      onApproved(reply)
    },
  })
  const deny = useCloudMutation('denyEnrollment', { onSuccess: onDenied })
  const { fields, rest } = toFieldErrors(approve.error, ['name', 'labels'])
  const problem = rest ?? deny.error ?? undefined

  function submit(): void {
    deny.reset()
    approve.mutate({ params: { id }, body: { name: draft.name, labels: [...draft.labels] } })
  }

  return (
    <Card title="Is this your device?">
      <Facts
        facts={[
          ['Name', name],
          ['Platform', platform],
          ['System', [os, version, hardware].filter(Boolean).join(' ') || undefined],
          ['Opens', folders.length === 0 ? undefined : <FolderList key="folders" folders={folders} />],
          ['Network address', address ?? 'unknown'],
          ['Started', <RelativeTime key="started" value={createdAt} />],
          ['Code expires', <RelativeTime key="expires" value={expiresAt} />],
        ]}
      />
      <p className="muted">
        Approve a device only if you started it yourself. It will receive your searches, and you will see its
        results. Except for the network address, the device itself reported these facts.
      </p>
      <SubmitForm onSubmit={submit} error={approve.error}>
        <TextField
          label="Name"
          value={draft.name}
          onChange={(changed) => setDraft({ ...draft, name: changed })}
          errorMessage={fields['name']}
        />
        <SuggestField
          label="Type"
          value={draft.type}
          onChange={(changed) => setDraft({ ...draft, type: changed })}
          suggestions={deviceTypes}
          description="Reported by the device. Correct it if it is wrong."
        />
        <TokenField
          label="Labels"
          description="Lowercase letters, digits and - _ . / : such as site:berlin."
          values={draft.labels}
          onChange={(labels) => setDraft({ ...draft, labels: labels.map((label) => label.toLowerCase()) })}
          errorMessage={fields['labels']}
        />
        {problem && <ErrorState error={problem} isInline />}
        <div className="row">
          <Button type="submit" variant="primary" isPending={approve.isPending}>
            Approve
          </Button>
          <Button isPending={deny.isPending} onPress={() => deny.mutate({ params: { id } })}>
            Deny
          </Button>
        </div>
      </SubmitForm>
    </Card>
  )
}

/** Folders that can be searched and read once the device is approved, as it announces them. */
const FolderList = ({ folders }: { readonly folders: readonly string[] }) => (
  <ul className="bare-list">
    {folders.map((folder) => (
      <li key={folder}>
        <code>{folder}</code>
      </li>
    ))}
  </ul>
)
