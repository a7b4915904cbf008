import type { Device } from '@homeward/contract/device-cloud'
import { KeyRound, Plus } from 'lucide-react'
import { useState, useMemo } from 'react'
import { useDeviceUrl, useServerFacts } from '../api/server-facts.ts'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { Notice } from '../components/states/notice.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { CommandTabs, pairCommand } from '../devices/device-commands.tsx'
import { RegisterDialog } from '../fleet/register-dialog.tsx'
import { useDevices } from '../devices/use-devices.ts'
import { FirstHeartbeat } from './first-heartbeat.tsx'
import { encode } from 'uqr'
import './qr-code.css'

/** How a device gets in: first by pairing, also by a token, or by a key that is made here. */
export function AddDevicePage() {
  const facts = useServerFacts()
  const url = useDeviceUrl()
  const isHereOnly = facts !== undefined && facts.deviceUrl === undefined && isLoopback(location.hostname)
  return (
    <>
      <PageHeader
        title="Add a device"
        back={{ href: '/devices', label: 'Devices' }}
        actions={
          <>
            <LinkButton href="/tokens" icon={<KeyRound aria-hidden />}>
              Enrollment tokens
            </LinkButton>
            <RegisterDialog trigger={<Button icon={<Plus aria-hidden />}>Register by hand</Button>} />
          </>
        }
      />
      {isHereOnly && (
        <Notice tone="warn">
          Only devices on this machine reach this server. To let in others, start it with{' '}
          <code>CLOUD_HOST=0.0.0.0</code>.
        </Notice>
      )}
      <Card title="1. Start the agent on the device">
        <p>
          This server’s address for devices: <code>{url}</code>
        </p>
        <p className="muted">
          Paste this line on the device. <code>--root</code> is a folder that can be searched; repeat it for
          more folders. The device needs Node 22.18 or newer, unless this server offers the executable.
        </p>
        <CommandTabs command={pairCommand(url)} />
      </Card>
      <Card title="2. Enter the code of the device">
        <div>
          <LinkButton href="/pair" variant="primary">
            Enter code
          </LinkButton>
        </div>
        <p className="muted">Or scan this code with a phone that reaches this server.</p>
        <QrCode text={`${url}/pair`} label={`QR code of ${url}/pair`} />
      </Card>
      <Card title="3. Wait for the device">
        <NewDevice />
      </Card>
    </>
  )
}

/** The first device that comes after the page was opened. */
function NewDevice() {
  const { data: devices } = useDevices()
  const [before, setBefore] = useState<ReadonlySet<string>>()
  if (devices !== undefined && before === undefined) setBefore(new Set(devices.map(({ id }: Device) => id)))
  const added = before && devices?.find(({ id }: Device) => !before.has(id))
  return added ? (
    <FirstHeartbeat deviceId={added.id} name={added.name} />
  ) : (
    <p role="status">
      <StatusBadge status="waiting">Waiting for a device</StatusBadge>
    </p>
  )
}

const isLoopback = (hostname: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** A text as a QR code, dark on light in every theme, so that cameras read it. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, data } = useMemo(() => encode(text, { border: 2 }), [text])
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
