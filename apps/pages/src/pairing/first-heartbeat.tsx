import { useQueryClient } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useLocation } from 'wouter'
import { refresh } from '../api/refresh.ts'
import { Button } from '../components/buttons/button.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { useDevice } from '../devices/use-devices.ts'

/** Waits until a device that was just approved sends its first heartbeat. */
export function FirstHeartbeat({ deviceId, name }: { readonly deviceId: string; readonly name: string }) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const { device } = useDevice(deviceId)
  const isHere = device !== undefined && device.lastSeenAt !== null
  return (
    <section className="stack" data-gap="small" aria-label="First heartbeat">
      <p role="status">
        {isHere ? (
          <StatusBadge status="online">{`${name} is online`}</StatusBadge>
        ) : (
          <StatusBadge status="waiting">Waiting for the first heartbeat</StatusBadge>
        )}
      </p>
      <div className="row">
        {isHere && (
          <Button
            variant="primary"
            icon={<Search aria-hidden />}
            onPress={() => {
              // A list that was read before the device joined would say that it is gone.
              void refresh(queries, { queryKey: ['listDevices'] })
              navigate('/searches/new', { state: { deviceIds: [deviceId] } })
            }}
          >
            Search it
          </Button>
        )}
        <LinkButton href={`/devices/${encodeURIComponent(deviceId)}`}>Open device</LinkButton>
      </div>
    </section>
  )
}
