import type { ChannelType } from './channel.ts'

/** Every type of channel by its name in the API: a new one is a file beside this one, and a line here. */
export const channelTypes: Readonly<Record<string, ChannelType>> = {}
