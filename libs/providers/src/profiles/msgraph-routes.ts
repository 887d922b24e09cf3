/** Which service of Microsoft Graph a path belongs to: each has limits of its own. Templates hold for v1.0 and beta. */
type Routes = Readonly<Record<string, string>>;

/** Longest first: `/users/:id/messages` is of a mailbox, `/users/:id` of the directory. */
const MAILBOX = [
  'calendar',
  'calendarGroups',
  'calendars',
  'calendarView',
  'contactFolders',
  'contacts',
  'events',
  'mailFolders',
  'messages',
  'sendMail',
];
const FILES = ['drive', 'drives'];
const DIRECTORY = [
  'applications',
  'contracts',
  'devices',
  'directory',
  'directoryObjects',
  'directoryRoles',
  'domains',
  'groups',
  'me',
  'oauth2PermissionGrants',
  'organization',
  'servicePrincipals',
  'subscribedSkus',
  'users',
];

const routes = (prefix: string, under: readonly string[], names: readonly string[]): Routes =>
  Object.fromEntries(
    names.flatMap((name) =>
      under.map((root) => {
        const label = root.split('/')[0] ?? '';
        return [[prefix, label, name].filter((part) => part !== '').join('-'), template(`${root}/${name}`)] as const;
      }),
    ),
  );

const template = (path: string): string => `* /:version/${path.replace(/^\//, '')}{/*path}`;

export const MAILBOX_ROUTES: Routes = routes('mailbox', ['me', 'users/:user'], MAILBOX);
/** Of OneDrive: they are here so that they do not count for the directory. */
export const FILE_ROUTES: Routes = routes('files', ['me', 'users/:user', 'groups/:group'], FILES);
export const DIRECTORY_ROUTES: Routes = routes('directory', [''], DIRECTORY);
