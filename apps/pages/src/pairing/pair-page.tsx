import { ClientError } from '@homeward/contract/client'
import { useState } from 'react'
import { useCloudQuery } from '../api/cloud.ts'
import { isGone } from '../api/until-gone.ts'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { Notice } from '../components/states/notice.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { EnrollmentDecision } from './enrollment-decision.tsx'
import { FirstHeartbeat } from './first-heartbeat.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'

type Decision =
  | { readonly kind: 'approved'; readonly deviceId: string; readonly name: string }
  | { readonly kind: 'denied' }

const noCode = { code: '' }

/** Lets a device in by the code that it shows. */
export function PairPage() {
  const [{ code }, setAddress] = useAddressFilter(noCode)
  const [decision, setDecision] = useState<Decision>()
  const find = useCloudQuery(
    'findEnrollment',
    { query: { code } },
    { enabled: code !== '' && decision === undefined },
  )

  function startAgain(): void {
    setDecision(undefined)
    setAddress(noCode)
  }

  return (
    <>
      <PageHeader
        title="Pair a device"
        description="Add a device by the code that it shows."
        back={{ href: '/devices', label: 'Devices' }}
      />
      {decision ? (
        <Decided decision={decision} onAgain={startAgain} />
      ) : code === '' || hasNoDevice(find.error) ? (
        <Card>
          <CodeForm
            key={code}
            initialCode={code}
            problem={code === '' ? undefined : problemOf(find.error)}
            onCode={(entered) => setAddress({ code: entered })}
          />
        </Card>
      ) : (
        <QueryView query={find} loadingLabel="Finding the device …">
          {({ enrollment }) => (
            <EnrollmentDecision
              key={enrollment.id}
              enrollment={enrollment}
              onApproved={({ enrollment: { deviceId = '' }, device }) =>
                setDecision({ kind: 'approved', deviceId, name: device?.name ?? enrollment.name })
              }
              onDenied={() => setDecision({ kind: 'denied' })}
            />
          )}
        </QueryView>
      )}
    </>
  )
}

function Decided({ decision, onAgain }: { readonly decision: Decision; readonly onAgain: () => void }) {
  return (
    <Card title={decision.kind === 'approved' ? 'Device approved' : 'Device denied'}>
      {decision.kind === 'approved' ? (
        <FirstHeartbeat deviceId={decision.deviceId} name={decision.name} />
      ) : (
        <Notice>The device stays denied. To add it later, create a new key on the device.</Notice>
      )}
      <div>
        <Button onPress={onAgain}>Pair another device</Button>
      </div>
    </Card>
  )
}

const hasNoDevice = (error: unknown) => isGone(error) || isRefused(error)

/** Too long for a code, or too many wrong ones. */
const isRefused = (error: unknown) => ClientError.is(error) && (error.status === 400 || error.status === 429)

function problemOf(error: Error | null): string {
  if (ClientError.is(error) && error.status === 429)
    return error.detail ?? 'Too many wrong codes. Try again later.'
  return 'No device is waiting with this code. Codes expire after 15 minutes. Check the device for a new code.'
}

interface CodeFormProps {
  /** Why the last code did not work. */
  readonly problem?: string | undefined
  readonly initialCode?: string
  readonly onCode: (code: string) => void
}

/** Asks for the code that a device shows. */
function CodeForm({ problem, initialCode = '', onCode }: CodeFormProps) {
  const [code, setCode] = useState(initialCode)
  const [isEmpty, setIsEmpty] = useState(false)

  function submit(): void {
    setIsEmpty(code.trim() === '')
    if (code.trim() !== '') onCode(code.trim().toUpperCase())
  }

  return (
    <SubmitForm onSubmit={submit} error={problem ?? isEmpty}>
      <TextField
        label="Code"
        value={code}
        onChange={setCode}
        placeholder="XXXX-XXXX"
        autoComplete="off"
        autoFocus
        isRequired
        description="The device shows the code while it waits. Case and dash do not matter."
        errorMessage={isEmpty ? 'Enter the code that the device shows.' : problem}
      />
      <div>
        <Button type="submit" variant="primary">
          Find device
        </Button>
      </div>
    </SubmitForm>
  )
}
