import type { Responses, Schemas } from '../../../../../dist/openapi.d.ts'

export type UserList = Schemas['UserList']
export type ListedUser = Schemas['ListedUser']
export type InvitationList = Schemas['InvitationList']
export type ListedInvitation = InvitationList['invitations'][number]

export type TeamList = Schemas['TeamList']
export type Team = Schemas['Team']

export type OwnEmail = Schemas['OwnEmail']

export type SessionList = Schemas['SessionList']
export type Session = Schemas['Session']

export type AllowedApplicationList = Schemas['AllowedApplicationList']
export type AllowedApplication = Schemas['AllowedApplication']

export type ApiTokenList = Schemas['ApiTokenList']
export type ApiToken = Schemas['ApiToken']
export type CreatedApiToken = Schemas['CreatedApiToken']

export type ClientList = Responses['listOAuthClients']
export type Client = Schemas['OAuthClient']
export type NewClient = Schemas['NewOAuthClient']

export type AuditPage = Schemas['AuditPage']
export type AuditEntry = Schemas['AuditEntry']

export type CacheStatistics = Responses['getCacheStatistics']
export type CacheEntries = Responses['listCacheEntries']

export type SignInSettings = Schemas['SignInSettings']
export type SignInTest = Schemas['SignInTest']

export type QuotaList = Schemas['QuotaList']
export type SystemFacts = Schemas['System']
export type WhatsNew = Schemas['WhatsNew']
export type OrganizationUses = Schemas['OrganizationUses']
export type Health = Responses['getHealth']
export type BackupList = Schemas['Backups']
