import { randomBytes } from 'node:crypto';
import type { Role } from '../identity.ts';
import type { Database } from '../storage/database.ts';

/** Someone of an organization who can sign in and allow a client to act for it. */
export interface User {
	id: string;
	/** Number of the organization. */
	organization: number;
	email: string;
	password: string;
	role: Role;
}

/** The published user of the published organization. */
export const DEMO_USER = { email: 'demo@aurora.example', password: 'demo-password' } as const;

/** The users of all organizations, as stored in the database. */
export class Users {
	private readonly database: Database;

	constructor(database: Database) {
		this.database = database;
	}

	/** Makes up an email and a password where they are left out. */
	create(wanted: Pick<User, 'organization' | 'role'> & { email?: string; password?: string }): User {
		const name = randomBytes(6).toString('hex');
		const user: User = {
			id: `user_${wanted.organization}_${name}`,
			email: `${name}@organization-${wanted.organization}.example`,
			password: randomBytes(9).toString('base64url'),
			...wanted,
		};
		this.database.run(
			'INSERT INTO users (id, organization, email, password, role) VALUES (?, ?, ?, ?, ?)',
			user.id,
			user.organization,
			user.email,
			user.password,
			user.role,
		);
		return user;
	}

	byId(id: string): User | undefined {
		return this.database.get<User>('SELECT * FROM users WHERE id = ?', id);
	}

	/** Returns the user of an email and password; `undefined` when they do not belong together. */
	signIn(email: string, password: string): User | undefined {
		return this.database.get<User>('SELECT * FROM users WHERE email = ? AND password = ?', email, password);
	}
}
