% The rolling disc of benchmarks/rolling_disc.py for GNU Octave's ode45: the same equations, vectorised.
% Call: octave --no-gui rolling_disc.m DURATION RTOL ATOL. Prints processor time, steps, x at 1.5 s.
1;

function xd = rate(t, x, m, J, P, K, D, mu)
  q = x(1:4) / norm(x(1:4));
  w0 = q(1); v = q(2:4);
  S = [0 -v(3) v(2); v(3) 0 -v(1); -v(2) v(1) 0];
  R = eye(3) + 2*w0*S + 2*S*S;
  r = x(5:7); w = x(8:10); c = x(11:13) ;         % c: velocity of the centre
  u = reshape(x(14:end), 2, []);
  a = R * P;
  p = a + r;
  pd = c + cross(repmat(w, 1, columns(a)), a);
  z = p(3,:); s = sqrt(max(0, -z));
  fn = max(0, s .* (-K*z - D*pd(3,:)));
  ft = -s .* (K*u + D*pd(1:2,:));
  size = sqrt(sum(ft.^2));
  in = fn > 0;
  over = max(1, size ./ max(mu*fn, realmin));
  ft = ft ./ over;
  ft(:,!in) = 0;
  ud = -(K/D)*u;
  slips = in & over > 1; sticks = in & over <= 1;
  ud(:,sticks) = pd(1:2,sticks);
  ud(:,slips) = -(ft(:,slips) + s(slips).*K.*u(:,slips)) ./ (s(slips)*D);
  f = [ft; fn];
  F = sum(f, 2) + [0; 0; -9.81*m];
  M = sum(cross(a, f), 2);
  Jw = R * J * R';
  wd = Jw \ (M - cross(w, Jw*w));
  qd = 0.5 * [-v'*w; w0*w + cross(w, v)];
  xd = [qd; c; wd; F/m; ud(:)];
end

arguments = argv();
T = str2double(arguments{1}); rtol = str2double(arguments{2}); atol = str2double(arguments{3});
Rd = 0.05; h = 0.01; n = 16; m = pi*Rd^2*h*3000;
J = diag([m*(3*Rd^2+h^2)/12, m*Rd^2/2, m*(3*Rd^2+h^2)/12]);
k = 2*pi*(0:n-1)/n;
rim = Rd*[sin(k); zeros(1,n); cos(k)];
P = [rim - [0; h/2; 0], rim + [0; h/2; 0]];
x0 = [cos(0.09); 0; 0; sin(0.09); 0; 0; 0.1; 0; 0; 0; 0.6; 0; 0; zeros(4*n, 1)];
options = odeset('RelTol', rtol, 'AbsTol', atol);
begin = cputime();
[t, x] = ode45(@(t, x) rate(t, x, m, J, P, 1e6, 2000, 0.1), [0 T], x0, options);
used = cputime() - begin;
printf('%.3f %d %.6f\n', used, numel(t), interp1(t, x(:,5), 1.5));
