import { useState } from 'react'
import { Card } from '../components/layout/card.tsx'
import { SwitchField } from '../components/fields/switch-field.tsx'
import { Notice } from '../components/states/notice.tsx'
import { canNotify, switchNotices, useNotices } from './browser-notices.ts'

/** Switches the notifications of this browser. */
export function NoticesCard() {
  const isOn = useNotices()
  const [wasDenied, setWasDenied] = useState(false)
  async function change(wanted: boolean): Promise<void> {
    setWasDenied(!(await switchNotices(wanted)))
  }
  return (
    <Card title="Notifications of this browser">
      <SwitchField
        label="Notify me"
        description="When a run waits for your decision, and when a run fails. Only while no tab with this page is visible."
        isSelected={isOn}
        isDisabled={!canNotify()}
        onChange={(wanted) => void change(wanted)}
      />
      {!canNotify() && (
        <p className="muted">Browsers show notifications only for pages on HTTPS or on localhost.</p>
      )}
      {wasDenied && (
        <Notice tone="warn">
          The browser does not allow notifications here. Allow them in the settings of the browser for this
          page.
        </Notice>
      )}
    </Card>
  )
}
